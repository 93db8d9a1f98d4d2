import { Worker } from 'node:worker_threads'
import { FarmError } from '../../core/errors.ts'
import type { Cut, CutRequest } from './cut.ts'

export type CutReply =
  | { readonly id: number; readonly cuts: readonly Cut[] }
  | { readonly id: number; readonly error: string }

/** Takes the browser's pictures apart, on a thread of its own. FarmError `internal` when it cannot. */
export type Cutter = {
  cut: (request: CutRequest) => Promise<readonly Cut[]>
  /** What is being cut fails. */
  close: () => Promise<void>
}

/**
 * A thread has a heap of its own: the megabytes of each picture make the collector look through all
 * of it again and again, which on the node's own takes longer than the cutting, and keeps it from hearing
 * the browser. The thread starts with the first picture, and again after it failed.
 */
export function createCutter(): Cutter {
  const asked = new Map<number, PromiseWithResolvers<readonly Cut[]>>()
  let thread: Worker | undefined
  let lastId = 0

  const fail = (cause?: unknown) => {
    thread = undefined
    const error = new FarmError('internal', 'The thread that cuts pictures ended', { cause })
    for (const { reject } of asked.values()) reject(error)
    asked.clear()
  }
  const start = () => {
    const started = new Worker(new URL('cutter.thread.ts', import.meta.url))
    started.on('message', (reply: CutReply) => {
      const waiting = asked.get(reply.id)
      asked.delete(reply.id)
      if (asked.size === 0) started.unref()
      if ('cuts' in reply) waiting?.resolve(reply.cuts)
      else waiting?.reject(new FarmError('internal', reply.error))
    })
    started.on('error', fail)
    return started
  }
  return {
    cut(request) {
      thread ??= start()
      thread.ref()
      lastId += 1
      const waiting = Promise.withResolvers<readonly Cut[]>()
      asked.set(lastId, waiting)
      thread.postMessage({ ...request, id: lastId })
      return waiting.promise
    },
    async close() {
      const ending = thread
      fail()
      await ending?.terminate()
    },
  }
}
