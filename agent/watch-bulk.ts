import { type Bulk, FarmApiError } from '../client/farm-client.ts'
import type { Agent } from './tool.ts'

type Told = Pick<Bulk, 'state' | 'progress' | 'counts'>

/**
 * Waits until a bulk has ended, some seconds at most, and tells the host of its progress. The
 * account's stream of events tells of each change, as a render's own does for `watchRender`.
 */
export async function watchBulk(
  id: string,
  { seconds, agent }: { seconds: number; agent: Agent },
): Promise<void> {
  const { farm, signal, progress } = agent
  const late = AbortSignal.timeout(seconds * 1000)
  const ending = AbortSignal.any([signal, late])
  const hasEnded = ({ state, progress: done, counts }: Told) => {
    progress(done, 100, JSON.stringify(counts))
    return state !== 'running'
  }
  const read = async () => hasEnded(await farm.getBulk(id, { signal, pageSize: 1 }))
  if (await read()) return
  try {
    for await (const { event, data } of farm.events({ signal: ending })) {
      // A stream tells of what changes after its beginning.
      if (event === 'hello' && (await read())) return
      if (event === 'bulk' && data.bulkId === id && hasEnded(data)) return
    }
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) return
    if (!(error instanceof FarmApiError)) throw error
    // The account has no place for another stream.
    await farm.waitBulk(id, { signal: ending, onProgress: hasEnded }).catch((cause: unknown) => {
      signal.throwIfAborted()
      if (!late.aborted) throw cause
    })
  }
}
