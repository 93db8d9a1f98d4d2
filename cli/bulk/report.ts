import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import type { Row } from '../../core/bulks/table.ts'

/** The end of a row. `file`: the file that was written for it. */
export type RowEnd = {
  readonly row: Row
  readonly state: string
  readonly file: string | undefined
  readonly jobId: string | null
  readonly duration: number | null
  readonly size: number | null
  readonly creditsCharged: number
  readonly error: string | null
}

export type ResultsFormat = 'csv' | 'json'

const columns = ['row', 'name', 'state', 'file', 'jobId', 'duration', 'size', 'creditsCharged']

/** Writes `results.csv` or `results.json` and returns its path. Missing values are null. */
export function writeReport(
  folder: string,
  ends: readonly RowEnd[],
  format: ResultsFormat,
): string {
  const path = join(folder, `results.${format}`)
  const rows = ends.map(({ row, file = null, ...end }) => ({
    ...{ row: row.number, name: row.name ?? null, file },
    ...end,
  }))
  writeFileSync(path, format === 'json' ? `${JSON.stringify(rows, null, 2)}\n` : csvOf(rows))
  return path
}

function csvOf(rows: object[]): string {
  return stringify(rows, {
    header: true,
    columns: [...columns, 'error'],
    quoted_string: true,
    // A name that a spreadsheet would take for a formula gets an apostrophe before it.
    escape_formulas: true,
  })
}

/** Limit of lines, so that the first stays on the screen; the report has all. */
const maxLines = 20

/** A line for each row without a file. */
export function failureLines(ends: readonly RowEnd[], report: string): string[] {
  const failed = ends.filter(({ file }) => file === undefined)
  const lines = failed.slice(0, maxLines).map(({ row, state, error }) => {
    const name = row.name === undefined ? '' : ` (${row.name})`
    return `  row ${row.number}${name}: ${error ?? state}`
  })
  const more = failed.length - lines.length
  return more > 0 ? [...lines, `  and ${more} more, in ${report}`] : lines
}
