import { stringify } from 'csv-stringify/sync'
import type { CreditEntry } from '../../store/db/accounts/list-credit-entries.ts'

const columns = [
  ...['id', 'createdAt', 'kind', 'balanceChange', 'reservedChange', 'jobId', 'bulkId', 'note'],
  // New columns come last, for programs that count them.
  'balance',
]

/**
 * Formats the ledger by RFC 4180, a part at a time. A text that a spreadsheet would take for a formula
 * gets an apostrophe before it.
 */
export async function* ledgerAsCsv(
  parts: AsyncIterable<readonly CreditEntry[]>,
): AsyncGenerator<string> {
  yield csvOf([columns])
  for await (const entries of parts) {
    yield csvOf(
      entries.map(({ createdAt, ...entry }) => {
        const row: Record<string, unknown> = { ...entry, createdAt: createdAt.toISOString() }
        return columns.map((name) => row[name])
      }),
    )
  }
}

function csvOf(rows: unknown[][]): string {
  return stringify(rows, {
    ...{ quoted_string: true, escape_formulas: true, record_delimiter: 'windows' },
  })
}
