import { parseCsv } from '../../core/bulks/csv.ts'
import { readTable, type Table } from '../../core/bulks/table.ts'
import { Failure } from '../failure.ts'
import type { RequestFile } from '../render/project-file.ts'
import { readTextFile } from '../text-file.ts'

/**
 * Reads the rows of a CSV file as variables of a project.
 * @throws Failure with every cell that cannot be read
 */
export function readRows(csv: string, request: RequestFile, encoding?: string): Table {
  const lines = parseCsv(readTextFile(csv, encoding, (bytes) => assertTable(csv, bytes)))
  if ('rule' in lines) throw new Failure(`${csv} ${lines.rule}`)
  const table = readTable(lines, request)
  if (!table) {
    throw new Failure(`${csv} must have a row of names and at least one row of values. Got less`)
  }
  if ('faults' in table) throw new Failure(`${csv} cannot be used:`, { faults: table.faults })
  return table
}

/** Files that people take for a CSV, by how they begin. */
const otherFiles: readonly { readonly isIt: (start: string) => boolean; readonly name: string }[] =
  [
    {
      isIt: (start) => start.startsWith('PK\x03\x04'),
      name: 'a ZIP archive, as an .xlsx workbook is: save it as CSV',
    },
    {
      isIt: (start) => start.startsWith('\xd0\xcf\x11\xe0'),
      name: 'an old Office file, such as an .xls workbook: save it as CSV',
    },
    {
      isIt: (start) => /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html)\b/i.test(start),
      name: 'an HTML page, such as a sign-in page in place of a download',
    },
  ]

/** Refuses files of other programs that are only named .csv. */
function assertTable(csv: string, bytes: Buffer): void {
  const start = bytes.toString('latin1', 0, 1000)
  const other = otherFiles.find(({ isIt }) => isIt(start))
  if (other) throw new Failure(`${csv} must be a CSV file. Got ${other.name}`)
}
