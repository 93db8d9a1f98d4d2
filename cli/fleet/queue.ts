import type { Limit } from '../../core/limits.ts'
import { listQueue } from '../../store/db/statements/list-queue.ts'
import { listShares } from '../../store/db/statements/list-shares.ts'
import { type ShareChange, setShare } from '../../store/db/statements/set-share.ts'
import { answerRows, operate } from '../accounts/operate.ts'
import { showTable } from '../accounts/table.ts'
import { Failure } from '../failure.ts'
import { type ActOptions, act } from './act.ts'

const onlineMs = 30_000
const lanesShown = 200

export async function showQueue({ json }: { readonly json?: boolean }): Promise<void> {
  await operate(json, async (db) => {
    const lanes = await listQueue(db, { seenWithinMs: onlineMs, limit: lanesShown })
    const rows = lanes.map(({ account, kind, requirements, queued, running, ...lane }) => ({
      ...{ account, kind, needs: needsOf(requirements), queued, running },
      waits: `${Math.round(lane.waitSeconds)} s`,
      missing: lane.missing === null ? 'any node that takes work' : lane.missing.join(', ') || '-',
      limit: lane.limits.map(showLimit).join(', ') || '-',
    }))
    return { json: lanes, text: showTable(rows) }
  })
}

export async function changeShare({
  account,
  change,
  json,
  ...options
}: { account: string; change: ShareChange } & ActOptions): Promise<void> {
  await operate(json, async (db) => {
    const what = `queue share ${JSON.stringify(change)}`
    await act(db, { what, subject: account, ...options }, async (tx) => {
      if (await setShare(tx, { accountId: account, ...change })) return
      throw new Failure(`ACCOUNT must be the id of an account. Got ${account}, which is none`)
    })
    return answerRows(await listShares(db, { accountId: account }))
  })
}

/** Accounts whose share is not that of their plan. */
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
