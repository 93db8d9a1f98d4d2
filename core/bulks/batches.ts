import { maxBodyBytes } from '../limits.ts'

export type Item = { readonly variables: Record<string, unknown>; readonly name?: string }

/**
 * Bytes of a bulk's body beside the request and its items: names, brackets, the bulk's own name.
 */
const frameBytes = 5_000

/** Splits items into as few requests as the plan's limit and the longest body allow, in order. */
export function splitItems<T extends { readonly item: Item }>(
  entries: readonly T[],
  { request, limit }: { request: object; limit: number },
): T[][] {
  const room = maxBodyBytes - frameBytes - bytesOf(request)
  const batches: T[][] = []
  let bytes = 0
  for (const entry of entries) {
    const size = bytesOf(entry.item) + 1
    const last = batches.at(-1)
    if (last && last.length < limit && bytes + size <= room) {
      last.push(entry)
      bytes += size
    } else {
      batches.push([entry])
      bytes = size
    }
  }
  return batches
}

const encoder = new TextEncoder()
const bytesOf = (value: object) => encoder.encode(JSON.stringify(value)).length
