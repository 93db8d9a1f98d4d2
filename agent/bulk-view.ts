import type { FarmClient } from '../client/farm-client.ts'
import { quotedInList } from './strangers-text.ts'
import { type Answer, facts } from './tool.ts'

/** A row with its signed address takes about 250 tokens, and a result at most 10,000. */
const rowsMost = 25

/** Returns a bulk's counts and one page of its renders, each with its file. */
export async function bulkResult(
  farm: FarmClient,
  { bulkId, page = 1 }: { readonly bulkId: string; readonly page?: number | undefined },
  signal: AbortSignal,
): Promise<Answer> {
  const bulk = await farm.getBulk(bulkId, { signal, page, pageSize: rowsMost })
  const { state, progress, counts, creditsCharged, jobs, total } = bulk
  const refused = bulk.items - total
  const more = Math.max(0, total - page * rowsMost)
  return facts({
    ...{ id: bulkId, state, progress, counts, creditsCharged },
    items: jobs.map(({ bulkIndex, name, state: of, url }) => ({
      ...{ index: bulkIndex, name: quotedInList(name), state: of, url },
    })),
    ...(refused > 0 && { refused }),
    ...(more > 0 && { more, nextPage: page + 1 }),
  })
}
