import type { Segment } from '../../core/plan/plan.ts'
import type { TaskContext } from '../context.ts'
import { isMissing } from '../files/disk-cache.ts'
import { linkOrCopy } from '../files/link-or-copy.ts'

/**
 * Caches rendered segments on the node as long as there is room, so that joining them here needs no
 * download. A fingerprint identifies everything that determines a segment's bytes.
 */

/** Moves the segment's file into the cache, for tasks of the same account. */
export async function cacheSegment(
  { fingerprint }: Segment,
  file: string,
  task: TaskContext,
): Promise<void> {
  await segmentsOf(task).adopt(fingerprint, file)
}

/** Writes a segment to `to`, from the node's cache or from its object. */
export async function fetchSegment(
  { fingerprint, index }: Segment,
  to: string,
  task: TaskContext,
): Promise<void> {
  const cached = await segmentsOf(task).find(fingerprint)
  if (cached !== undefined && (await isLinked(cached, to))) return
  await task.get(`segment-${index}`, to)
}

/** Links the file; returns false when it has been evicted meanwhile. */
async function isLinked(file: string, to: string): Promise<boolean> {
  try {
    await linkOrCopy(file, to)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function segmentsOf({ node, accountId }: TaskContext) {
  return node.originals.within(`segments-${accountId}`)
}
