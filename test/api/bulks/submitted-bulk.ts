import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { film, type Gateway } from '../gateway.ts'

export const bulkPath = '/api/render/bulk/api-key'

export const card = {
  ...film,
  variables: { greeting: 'Hello' },
  visuals: [{ type: 'TEXT', html: '<b>{{ greeting }}, {{ who }}</b>' }],
}
export const forWhom = (...names: string[]) =>
  names.map((who) => ({ name: who, variables: { who } }))

export type Fault = { field: string; code: string; message: string }
export type ItemError = { index: number; details: Fault[] }

/** Submits a bulk of a new customer. */
export async function submitBulk(
  gateway: Gateway,
  credits = 1000,
  items: readonly unknown[] = forWhom('Ada', 'Bob', 'Cleo'),
) {
  const customer = await gateway.customer(credits)
  const reply = await customer.post(bulkPath, { payload: card, items, name: 'party' })
  const accepted: { bulkId: string; jobIds: string[]; errors: ItemError[] } = reply.json()
  return { ...customer, ...accepted, reply }
}

/** Ends a job of a bulk as the workflow does. */
export async function completeJob(
  gateway: Gateway,
  { accountId, jobId }: { accountId: string; jobId: string },
) {
  await gateway.db.updateTable('jobs').set({ state: 'rendering' }).where('id', '=', jobId).execute()
  await settleJob(gateway.db, {
    ...{ accountId, jobId, reason: 'test' },
    settlement: {
      to: 'completed',
      result: { duration: 2, size: 9, width: 320, height: 180, format: 'mp4' },
      outputKey: 'accounts/a/output',
      thumbnailKey: null,
      links: { url: 'https://example.com/o', thumbnailUrl: null },
    },
  })
}

/** Lists the kinds of a bulk's entries in the ledger, in their order. */
export async function listEntryKinds(
  gateway: Gateway,
  { bulkId, jobIds }: { bulkId: string; jobIds: string[] },
) {
  const rows = await gateway.db
    .selectFrom('credit_entries')
    .select(['kind', 'job_id'])
    .where((either) => either.or([either('bulk_id', '=', bulkId), either('job_id', 'in', jobIds)]))
    .orderBy('id')
    .execute()
  return rows.map(({ kind }) => kind)
}
