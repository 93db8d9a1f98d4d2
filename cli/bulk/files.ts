import { accessSync, constants, mkdirSync } from 'node:fs'
import { Failure } from '../failure.ts'
import type { Row } from './rows.ts'

const maxNameLength = 80

/** Makes the folder for the files. @throws Failure when nothing can be written there */
export function prepareFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return folder
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code
    throw new Failure(`${folder} must be a folder that can be written to. Got ${why}`, { cause })
  }
}

/**
 * A file name without its ending for each row: the row's name, as far as every file system takes
 * it, else its number. No two differ in nothing but their case.
 */
export function fileNames(rows: readonly Row[]): readonly string[] {
  const width = String(rows.at(-1)?.number ?? 0).length
  // The report's own name.
  const taken = new Set(['results'])
  return rows.map(({ name, number }) => {
    const plain = fileName(name ?? '') || `row-${String(number).padStart(width, '0')}`
    let free = plain
    for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${plain}-${n}`
    taken.add(free.toLowerCase())
    return free
  })
}

/** Letters and digits of any script stay; the rest, which may mean something to a shell, is a dash. */
function fileName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_.]+/gu, '-')
    .replace(/^[-.]+/, '')
  return [...plain]
    .slice(0, maxNameLength)
    .join('')
    .replace(/[-.]+$/, '')
}
