import { listAccessOperation } from '../../operator/access.ts'
import type { AccessView } from '../../store/db/access/list-access.ts'
import { operateFarm } from '../accounts/operate.ts'
import { showTable, type TableRow } from '../accounts/table.ts'

/** `account`: an id or a name. `key`: first characters. `before`: end of the page before. */
export type AccessAsked = {
  readonly request?: string
  readonly account?: string
  readonly key?: string
  readonly path?: string
  readonly method?: string
  readonly status?: string
  readonly address?: string
  readonly since?: Date
  readonly until?: Date
  readonly before?: string
  readonly limit: number
  readonly json?: boolean
}

/** `farm access`: requests that the farm answered, the latest first. */
export async function showAccess({ json, since, until, ...asked }: AccessAsked): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const times = {
      ...(since && { since: since.toISOString() }),
      ...(until && { until: until.toISOString() }),
    }
    const { requests, next } = await farm.run(listAccessOperation, { ...asked, ...times })
    const more = next === null ? [] : [`\nMore: --before ${next}`]
    return { json: requests, text: [showTable(requests.map(rowOf)), ...more].join('\n') }
  })
}

function rowOf(view: AccessView): TableRow {
  const { at, method, path, status, ms, address, account, key, made, requestId } = view
  const by = view.operator ?? view.user ?? view.agent ?? key
  return {
    ...{ at, method, path, status: view.aborted ? `${status} aborted` : status, ms, address },
    ...{ account, by, made, request: requestId },
  }
}
