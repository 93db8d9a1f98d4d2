import type { Job } from '../client/farm-client.ts'
import { hasEnded } from './render-view.ts'
import type { Agent } from './tool.ts'

/**
 * Returns a render when it has ended, or after some seconds as it is then. Tells the host of its
 * progress. No call needs more than 50 s: hosts give up after 60.
 */
export async function watchRender(
  id: string,
  { seconds, agent }: { seconds: number; agent: Agent },
): Promise<Job> {
  const { farm, signal, progress } = agent
  const first = await farm.getJob(id, { signal })
  if (seconds === 0 || hasEnded(first)) return first
  const late = AbortSignal.timeout(seconds * 1000)
  let last = first
  try {
    for await (const job of farm.watch(id, { signal: AbortSignal.any([signal, late]) })) {
      last = job
      progress(job.progress, 100, job.stage ?? job.state)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!late.aborted) throw error
  }
  return last
}
