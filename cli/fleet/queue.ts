import type { Limit } from '../../core/queue/limits.ts'
import { listQueue } from '../../store/db/queue/list-queue.ts'
import { listShares } from '../../store/db/queue/list-shares.ts'
import { type ShareChange, setShare } from '../../store/db/queue/set-share.ts'
import { answerRows, operate, requireAccount } from '../accounts/operate.ts'
import { showTable } from '../accounts/table.ts'
import { type ActOptions, act } from './act.ts'

const onlineMs = 30_000
const lanesShown = 200
const noNode = 'any node that takes work'

export async function showQueue({ json }: { readonly json?: boolean }): Promise<void> {
  await operate(json, async (db) => {
    const lanes = await listQueue(db, { seenWithinMs: onlineMs, limit: lanesShown })
    const known = lanes.map((lane) => ({ ...lane, missing: lane.missing ?? [noNode] }))
    const rows = known.map(({ account, kind, requirements, queued, running, ...lane }) => ({
      ...{ account, kind, needs: needsOf(requirements), queued, running },
      waits: `${Math.round(lane.waitSeconds)} s`,
      missing: lane.missing.join(', ') || '-',
      limit: lane.limits.map(showLimit).join(', ') || '-',
    }))
    return { json: known, text: showTable(rows) }
  })
}

export async function changeShare({
  account,
  change,
  json,
  ...options
}: { account: string; change: ShareChange } & ActOptions): Promise<void> {
  await operate(json, async (db) => {
    const { id: accountId } = await requireAccount(db, account)
    const what = `queue share ${JSON.stringify(change)}`
    await act(db, { what, subject: accountId, ...options }, (tx) =>
      setShare(tx, { accountId, ...change }),
    )
    return answerRows(await listShares(db, { accountId }))
  })
}

/** Shows accounts whose share differs from their plan's. */
export async function showShares({ json }: { readonly json?: boolean }): Promise<void> {
  await operate(json, async (db) => answerRows(await listShares(db)))
}

function showLimit({ of, name, running, most }: Limit): string {
  const whose = of === 'pool' ? `pool ${name || '(none)'}` : of
  return `${whose} ${running} of ${most}`
}

function needsOf(requirements: object): string {
  const parts = Object.entries(requirements).map(([name, value]) => `${name} ${value}`)
  return parts.join(', ') || '-'
}
