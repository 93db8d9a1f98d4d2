import type { Segment } from '../../core/plan/plan.ts'
import type { TaskContext } from '../context.ts'
import { isMissing } from '../disk-cache.ts'
import { linkOrCopy } from '../link-or-copy.ts'

/**
 * Segments that this node has rendered stay with it for as long as its cache of objects has room: who joins them here
 * need not download them. A fingerprint names everything that decides a segment's bytes.
 */

/** Takes the segment's file over, for tasks of the same account. */
export async function keepSegment(
  { fingerprint }: Segment,
  file: string,
  task: TaskContext,
): Promise<void> {
  await segmentsOf(task).adopt(fingerprint, file)
}

/** Writes a segment to `to`: the node's own, or its object. */
export async function fetchSegment(
  { fingerprint, index }: Segment,
  to: string,
  task: TaskContext,
): Promise<void> {
  const kept = await segmentsOf(task).find(fingerprint)
  if (kept !== undefined && (await isLinked(kept, to))) return
  await task.get(`segment-${index}`, to)
}

/** False: it has been evicted meanwhile. */
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
