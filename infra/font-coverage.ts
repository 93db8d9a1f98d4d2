// Reads the characters of the bundled fonts from their files, so that core can report missing ones
// without fonts. `npm run fonts:coverage` writes the table; a test compares it.
import { readFileSync, writeFileSync } from 'node:fs'
import { bundledFamilies } from '../core/looks/families.ts'
import { everywhere, hanFamilies } from '../core/looks/family-chain.ts'
import { createFonts } from '../worker/bake/fonts.ts'

const table = new URL('../core/looks/coverage-table.ts', import.meta.url)
const lineLength = 92

/** Generates the expected module. */
export async function coverageTable(): Promise<string> {
  const fonts = createFonts()
  const union = async (families: readonly (typeof bundledFamilies)[number][]) => {
    const sets = await Promise.all(families.map((family) => fonts.characters(family)))
    return new Set(sets.flatMap((set) => [...set]))
  }
  const ofAll = await union(everywhere)
  const without = (set: ReadonlySet<number>) => [...set].filter((code) => !ofAll.has(code))
  const beyond: string[] = []
  for (const family of bundledFamilies) {
    if (hanFamilies.includes(family)) continue
    const more = without(await fonts.characters(family))
    const name = /^\w+$/.test(family) ? family : `'${family}'`
    if (more.length > 0) beyond.push(`  ${name}: '${encoded(more)}',`)
  }
  return [
    "import type { BundledFamily } from './families.ts'",
    '',
    '// Made from the font files by `npm run fonts:coverage`. Ranges of code points in base 36: the gap',
    "// since the last range's end, and the length where that is not 1.",
    '',
    '/** Union of the families in every chain. */',
    `export const everywhereCoverage = [\n${lines(encoded([...ofAll]))}\n].join(' ')`,
    '',
    '/** Union of the Han families, without the above. */',
    `export const hanCoverage = [\n${lines(encoded(without(await union(hanFamilies))))}\n].join(' ')`,
    '',
    '/** Any other family, without the characters of every chain. */',
    `export const familyCoverage: Partial<Record<BundledFamily, string>> = {\n${beyond.join('\n')}\n}`,
    '',
  ].join('\n')
}

/** Returns the module as committed. */
export function writtenCoverage(): string {
  return readFileSync(table, 'utf8')
}

function encoded(codePoints: readonly number[]): string {
  const tokens: string[] = []
  let end = 0
  let first = -1
  let next = -1
  const add = () => {
    if (first < 0) return
    const length = next - first
    tokens.push((first - end).toString(36) + (length === 1 ? '' : `.${length.toString(36)}`))
    end = next
  }
  for (const code of [...codePoints].sort((a, b) => a - b)) {
    if (code !== next) {
      add()
      first = code
    }
    next = code + 1
  }
  add()
  return tokens.join(' ')
}

function lines(ranges: string): string {
  const all: string[] = []
  for (const token of ranges.split(' ')) {
    const line = all.at(-1)
    if (line === undefined || line.length + token.length >= lineLength) all.push(token)
    else all[all.length - 1] = `${line} ${token}`
  }
  return all.map((line) => `  '${line}',`).join('\n')
}

if (import.meta.main) writeFileSync(table, await coverageTable())
