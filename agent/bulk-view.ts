import type { BulkPage, FarmClient } from '../client/farm-client.ts'
import { type Answer, facts } from './tool.ts'
import { quoted } from './wording.ts'

const rowsMost = 100

/** Returns a bulk's counts and each item with its file. */
export async function bulkResult(
  farm: FarmClient,
  { bulkId: id, state, progress, counts, creditsCharged }: BulkPage,
  signal: AbortSignal,
): Promise<Answer> {
  const rows = await farm.bulkResults(id, { signal })
  return facts({
    ...{ id, state, progress, counts, creditsCharged },
    items: rows.slice(0, rowsMost).map(({ index, name, state: of, url }) => ({
      ...{ index, name: name === null ? null : quoted(name), state: of, url },
    })),
    ...(rows.length > rowsMost && { more: rows.length - rowsMost }),
  })
}
