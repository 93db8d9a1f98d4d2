import { readdir, readFile } from 'node:fs/promises'
import { setInterval as everyMs } from 'node:timers/promises'

const watchMs = 100

/**
 * Resolves when the process and all that come of it hold more than `limitBytes` of memory of their
 * own. Never where the system has no /proc; rejects with the signal.
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
  const [own, children] = await Promise.all([ownBytes(pid), childrenOf(pid)])
  const others = await Promise.all(children.map(heldBytes))
  return others.reduce((sum, bytes) => sum + bytes, own)
}

/** What is shared, as the program's code is, would be counted once for each process. */
async function ownBytes(pid: number): Promise<number> {
  const status = await readOrNothing(`/proc/${pid}/status`)
  const kilobytes = /^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? '0'
  return Number(kilobytes) * 1024
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    threads.map((thread) => readOrNothing(`/proc/${pid}/task/${thread}/children`)),
  )
  return lists.join(' ').split(' ').filter(Boolean).map(Number)
}

/** Processes end while they are looked at. */
const readOrNothing = (file: string) => readFile(file, 'utf8').catch(() => '')
