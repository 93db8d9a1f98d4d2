import test from 'ava'
import { findLedgerFaults } from '../../../store/db/fsck/find-ledger-faults.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { checkLedger } from '../../../workflows/janitor/check-ledger.ts'
import { createWorkflowsMetrics, type WorkflowsMetrics } from '../../../workflows/metrics.ts'
import { addAccount, addJob, silent, startDatabase } from '../../store/database.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

/** Checks all accounts, and returns how many unbalanced ones the metrics tell then. */
async function unbalanced(): Promise<number | undefined> {
  const metrics = createWorkflowsMetrics()
  await checkLedger({ db, log: silent, metrics })
  return await toldBy(metrics)
}

async function toldBy({ registry }: WorkflowsMetrics): Promise<number | undefined> {
  const line = /^farm_ledger_unbalanced_accounts(?:\{.*\})? (\d+)$/m
  const [, count] = line.exec(await registry.metrics()) ?? []
  return count === undefined ? undefined : Number(count)
}

test.serial('balances that equal their ledger are reported as zero faults', async (t) => {
  t.is(await unbalanced(), 0, 'no account')
  for (let i = 0; i < 5; i += 1) {
    const accountId = await addAccount(db)
    const [ended, open] = [await addJob(db, accountId, 10), await addJob(db, accountId, 20)]
    const settlement = { to: 'cancelled', charge: 3 } as const
    await settleJob(db, { accountId, jobId: ended, reason: '', settlement })
    t.truthy(open)
  }
  t.is(await unbalanced(), 0)
})

test.serial('balances and held credits without entries are counted', async (t) => {
  const [balance, held] = [await addAccount(db), await addAccount(db)]
  await db
    .updateTable('accounts')
    .set({ credits_balance: 1001 })
    .where('id', '=', balance)
    .execute()
  t.is(await unbalanced(), 1)
  await db.updateTable('accounts').set({ credits_reserved: 1 }).where('id', '=', held).execute()
  t.is(await unbalanced(), 2)
  const faults = await findLedgerFaults(db)
  t.deepEqual(faults.map(({ accountId }) => accountId).toSorted(), [balance, held].toSorted())
})

test.serial('an account without any entry is compared, too', async (t) => {
  const before = (await unbalanced()) ?? 0
  const accountId = await addAccount(db)
  await db.deleteFrom('credit_entries').where('account_id', '=', accountId).execute()
  t.is(await unbalanced(), before + 1)
})

test.serial('a check that is stopped tells nothing', async (t) => {
  const metrics = createWorkflowsMetrics()
  const checking = checkLedger({ db, log: silent, metrics }, AbortSignal.abort(new Error('stop')))
  await t.throwsAsync(checking, { message: 'stop' })
  t.is(await toldBy(metrics), undefined)
})
