import type { Limit } from '../../core/queue/limits.ts'
import {
  changeShareOperation,
  listQueueOperation,
  listSharesOperation,
} from '../../operator/queue.ts'
import type { ShareChange } from '../../store/db/queue/set-share.ts'
import { answerRows, operateFarm } from '../accounts/operate.ts'
import { showTable } from '../accounts/table.ts'
import type { ActOptions } from './act.ts'

export async function showQueue({ json }: { readonly json?: boolean }): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { lanes } = await farm.run(listQueueOperation, {})
    const rows = lanes.map(({ account, kind, requirements, queued, running, ...lane }) => ({
      ...{ account, kind, needs: needsOf(requirements), queued, running },
      waits: `${Math.round(lane.waitSeconds)} s`,
      missing: lane.missing.join(', ') || '-',
      limit: lane.limits.map(showLimit).join(', ') || '-',
    }))
    return { json: lanes, text: showTable(rows) }
  })
}

export async function changeShare({
  account,
  change: { tags, ...change },
  why,
  ...options
}: { account: string; change: ShareChange } & ActOptions): Promise<void> {
  await operateFarm(options, async (farm) => {
    const input = { account, why, ...change, ...(tags && { tags: [...tags] }) }
    const { shares } = await farm.run(changeShareOperation, input)
    return answerRows(shares)
  })
}

/** Shows accounts whose share differs from their plan's. */
export async function showShares({ json }: { readonly json?: boolean }): Promise<void> {
  await operateFarm({ json }, async (farm) =>
    answerRows((await farm.run(listSharesOperation, {})).shares),
  )
}

function showLimit({ of, name, running, most }: Limit): string {
  const whose = of === 'pool' ? `pool ${name || '(none)'}` : of
  return `${whose} ${running} of ${most}`
}

function needsOf(requirements: object): string {
  const parts = Object.entries(requirements).map(([name, value]) => `${name} ${value}`)
  return parts.join(', ') || '-'
}
