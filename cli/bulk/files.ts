import { accessSync, constants, mkdirSync } from 'node:fs'
import type { Row } from '../../core/bulks/table.ts'
import { Failure } from '../failure.ts'

const maxNameLength = 80

/** Makes the folder for the files. @throws Failure when it is not writable */
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
 * Builds a file name without extension for each row: the row's name, reduced to characters that
 * every file system takes, else its number. Names differ in more than their case.
 */
export function fileNames(rows: readonly Row[]): readonly string[] {
  const width = String(rows.at(-1)?.number ?? 0).length
  // Reserves the report's own name.
  const taken = new Set(['results'])
  return rows.map(({ name, number }) => {
    const plain = fileName(name ?? '') || `row-${String(number).padStart(width, '0')}`
    let free = plain
    for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${plain}-${n}`
    taken.add(free.toLowerCase())
    return free
  })
}

/**
 * Keeps letters and digits of any script; the rest, which a shell may interpret, becomes a dash.
 */
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
