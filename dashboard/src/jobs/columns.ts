import type { JobSummary } from './job-summary.ts'

/** Columns of the table of jobs that one may choose, in their order. */
export const columnNames = {
  stage: 'Stage',
  pace: 'Frames/s',
  left: 'Left',
  length: 'Length',
  cost: 'Credits',
  created: 'Created',
} as const satisfies Partial<Record<keyof JobSummary, string>>

export type Column = keyof typeof columnNames
export const columns = Object.keys(columnNames) as Column[]

/** Rem of a line of chosen columns below a job. */
const lineRem = 1.375

/** Rem that the chosen columns take below a job, two in a line, where they have no room beside it. */
export const heightBelow = (shown: readonly Column[]) => Math.ceil(shown.length / 2) * lineRem

/** Window that is too narrow for the chosen columns, as a media query. */
export const tooNarrowFor = (shown: readonly Column[]) =>
  shown.length > 1 ? '(max-width: 56.25em)' : '(max-width: 35em)'

/** Reads columns as they are kept, `stage created`; unknown ones are left out. */
export function readColumns(text: string): readonly Column[] {
  const named = new Set(text.split(' '))
  return columns.filter((column) => named.has(column))
}

export function toggleColumn(shown: readonly Column[], column: Column): readonly Column[] {
  const next = new Set(shown)
  if (!next.delete(column)) next.add(column)
  return columns.filter((each) => next.has(each))
}
