import type { Log } from '../../runtime/log.ts'
import { repeat } from '../../runtime/repeat.ts'
import { readWithin } from '../../store/db/bounded-read.ts'
import type { Db } from '../../store/db/database.ts'
import { findUnbalancedAccounts } from '../../store/db/fsck/find-unbalanced-accounts.ts'
import type { WorkflowsMetrics } from '../metrics.ts'

const everyMs = 3_600_000
/** Time of one comparison, which takes 0.3 s for a million entries. */
const longestMs = 600_000
/** Accounts that the log names; `farm fsck` lists all. */
const namedAccounts = 20

type Checking = {
  readonly db: Db
  readonly log: Log
  readonly metrics: Pick<WorkflowsMetrics, 'ledgerChecked'>
}

/**
 * Compares every balance with its ledger each hour, for the metrics: it reads all entries, which is too much
 * for a scrape. Any number may run.
 * @returns a function that stops it, the present comparison included.
 */
export function startCheckingLedger(checking: Checking): () => Promise<void> {
  const { stop } = repeat({
    everyMs,
    async run(stopping) {
      await checkLedger(checking, stopping).catch((error: unknown) => {
        if (stopping.aborted) return
        checking.log.warn({ err: error }, 'the ledger could not be checked')
      })
    },
    onError: () => undefined,
  })
  return stop
}

/** Checks all accounts once. Errors: those of the database, ReadTooLong, the signal's reason. */
export async function checkLedger(
  { db, log, metrics }: Checking,
  signal?: AbortSignal,
): Promise<void> {
  const unbalanced = await readWithin(db, { ms: longestMs, signal }, findUnbalancedAccounts)
  metrics.ledgerChecked(unbalanced.length)
  if (unbalanced.length === 0) return
  const accounts = unbalanced.slice(0, namedAccounts)
  log.error({ accounts, inAll: unbalanced.length }, 'balances are not the sum of their ledger')
}
