import { readdir, readFile } from 'node:fs/promises'
import { setInterval as everyMs } from 'node:timers/promises'

const watchMs = 250

/**
 * Resolves when the process and its descendants hold more than `limitBytes` of memory of their own.
 * Never resolves on a system without /proc; rejects with the signal.
 */
export async function memoryExceeded(
  pid: number,
  { limitBytes, signal }: { limitBytes: number; signal: AbortSignal },
): Promise<void> {
  for await (const _ of everyMs(watchMs, undefined, { signal })) {
    if ((await heldBytes(pid)) > limitBytes) return
  }
}

async function heldBytes(pid: number): Promise<number> {
  const all = await memoryOf(pid)
  const own = all.reduce((sum, { ownBytes }) => sum + ownBytes, 0)
  return own + Math.max(...all.map(({ sharedBytes }) => sharedBytes))
}

type Memory = { readonly ownBytes: number; readonly sharedBytes: number }

/**
 * Returns the memory of the process and its descendants. Processes share their pixels, so the
 * largest share counts as all of them. Program code is not counted.
 */
async function memoryOf(pid: number): Promise<Memory[]> {
  const [status, children] = await Promise.all([
    readOrNothing(`/proc/${pid}/status`),
    childrenOf(pid),
  ])
  const bytesOf = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024
  const own = { ownBytes: bytesOf('RssAnon'), sharedBytes: bytesOf('RssShmem') }
  return [own, ...(await Promise.all(children.map(memoryOf))).flat()]
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    threads.map((thread) => readOrNothing(`/proc/${pid}/task/${thread}/children`)),
  )
  return lists.join(' ').split(' ').filter(Boolean).map(Number)
}

/** A process may end while it is inspected. */
const readOrNothing = (file: string) => readFile(file, 'utf8').catch(() => '')
