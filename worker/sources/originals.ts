import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { TaskContext } from '../context.ts'
import { hashFile } from '../files/hash-file.ts'
import { scratchOf } from '../files/scratch.ts'

/**
 * Returns the object that an input names by its digest, from the node's cache, or downloaded and
 * checked. @throws Error when the bytes do not match the digest
 */
export async function fetchOriginal(digest: string, task: TaskContext): Promise<string> {
  const cached = await task.node.originals.find(digest)
  const hits = cached === undefined ? 0 : 1
  task.node.metrics.cacheAsked('originals', { hits, misses: 1 - hits })
  if (cached !== undefined) return cached
  // Unique name: the same object may be fetched twice at once.
  const file = join(await scratchOf(task), `original-${randomUUID()}`)
  await task.span.part('download', () => task.get(digest, file), { 'farm.object': 'original' })
  const seen = await hashFile(file)
  if (seen !== digest) throw new Error(`The object ${digest} must have its digest. Got ${seen}`)
  return task.node.originals.adopt(digest, file)
}
