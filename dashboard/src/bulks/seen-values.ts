import { type CellType, readCell } from '../../../core/bulks/table.ts'
import { count } from '../words/format.ts'

type SeenKind = CellType | 'empty'

/** Numbers of a column's cells that hold a value of each kind. */
export type Seen = Readonly<Partial<Record<SeenKind, number>>>

/** Kinds that a cell is tried as, in this order; any cell is a text. */
const kinds = ['flag', 'number', 'array', 'object'] as const

/** Counts the kinds of values of each column, without the line of names. */
export function seenValues(lines: readonly (readonly string[])[]): readonly Seen[] {
  const [names = [], ...rows] = lines
  const counts = names.map((): Partial<Record<SeenKind, number>> => ({}))
  // A blank line is no row.
  for (const cells of rows.filter(({ length }) => length > 1 || names.length === 1)) {
    for (const [at, seen] of counts.entries()) {
      const kind = kindOf(cells[at] ?? '')
      seen[kind] = (seen[kind] ?? 0) + 1
    }
  }
  return counts
}

function kindOf(cell: string): SeenKind {
  if (cell.trim() === '') return 'empty'
  return kinds.find((kind) => 'value' in readCell(cell, kind)) ?? 'text'
}

const words: Readonly<Record<SeenKind, readonly [one: string, many: string]>> = {
  text: ['text', 'texts'],
  number: ['number', 'numbers'],
  flag: ['true or false', 'true or false'],
  array: ['list', 'lists'],
  object: ['object', 'objects'],
  empty: ['empty', 'empty'],
}

export const typeName = (type: CellType) => words[type][0]

/** Returns `4 numbers, 1 text`, the most frequent kind first. */
export function seenInWords(seen: Seen): string {
  return entriesOf(seen)
    .toSorted(([, a], [, b]) => b - a)
    .map(([kind, cells]) => `${count(cells)} ${words[kind][cells === 1 ? 0 : 1]}`)
    .join(', ')
}

/** Returns how many cells cannot be read as a type. An empty one leaves the project's own value. */
export function misfits(seen: Seen, type: CellType): number {
  if (type === 'text') return 0
  const others = entriesOf(seen).filter(([kind]) => kind !== type && kind !== 'empty')
  return others.reduce((sum, [, cells]) => sum + cells, 0)
}

const entriesOf = (seen: Seen) => Object.entries(seen) as [SeenKind, number][]
