import { parentPort, Worker } from 'node:worker_threads'
import { FarmError } from '../core/errors.ts'

type Asked<Request> = { readonly id: number; readonly request: Request }
type Reply<Result> =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly error: string }

/** Work on a thread of its own. FarmError `internal` when it fails. */
export type SideThread<Request, Result> = {
  /** The request is copied before this returns. */
  ask: (request: Request) => Promise<Result>
  /** What was asked fails. */
  close: () => Promise<void>
}

/**
 * A thread has a heap of its own: megabytes that come and go make the collector look through all of it
 * again and again, which on the node's own takes longer than the work, and keeps it from hearing others. The thread starts
 * with the first request, and again after it failed. `program`: a file that calls `answerAsked`.
 */
export function createSideThread<Request, Result>(program: URL): SideThread<Request, Result> {
  const asked = new Map<number, PromiseWithResolvers<Result>>()
  let thread: Worker | undefined
  let lastId = 0

  const fail = (cause?: unknown) => {
    thread = undefined
    const error = new FarmError('internal', 'A thread that works for others ended', { cause })
    for (const { reject } of asked.values()) reject(error)
    asked.clear()
  }
  const start = () => {
    const started = new Worker(program)
    started.on('message', (reply: Reply<Result>) => {
      const waiting = asked.get(reply.id)
      asked.delete(reply.id)
      if (asked.size === 0) started.unref()
      if ('result' in reply) waiting?.resolve(reply.result)
      else waiting?.reject(new FarmError('internal', reply.error))
    })
    started.on('error', fail)
    // The process waits for it only while it is asked something. After the listeners, which would undo it.
    started.unref()
    return started
  }
  return {
    ask(request) {
      thread ??= start()
      lastId += 1
      const waiting = Promise.withResolvers<Result>()
      // What cannot be copied is thrown here, and is nothing to wait for.
      thread.postMessage({ id: lastId, request } satisfies Asked<Request>)
      thread.ref()
      asked.set(lastId, waiting)
      return waiting.promise
    },
    async close() {
      const ending = thread
      fail()
      await ending?.terminate()
    },
  }
}

/** In the thread: several at a time, each answered by its number. `given`: memory of a result that goes with it. */
export function answerAsked<Request, Result>(
  work: (request: Request) => Result | Promise<Result>,
  given: (result: Result) => readonly ArrayBuffer[] = () => [],
): void {
  parentPort?.on('message', async ({ id, request }: Asked<Request>) => {
    try {
      const result = await work(request)
      parentPort?.postMessage({ id, result } satisfies Reply<Result>, [...given(result)])
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      parentPort?.postMessage({ id, error: message } satisfies Reply<Result>)
    }
  })
}

/** What can be given to another thread instead of copied: memory that has these bytes and no others, and is V8's own. */
export function wholeMemory({ buffer, byteLength }: Uint8Array): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}
