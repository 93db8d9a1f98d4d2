import { parentPort, Worker } from 'node:worker_threads'
import { FarmError } from '../../core/errors.ts'

type Asked<Request> = { readonly id: number; readonly request: Request }
type Reply<Result> =
  | { readonly id: number; readonly result: Result }
  | { readonly id: number; readonly error: string }

/** Work on a thread of its own. A failure is a FarmError `internal`. */
export type SideThread<Request, Result> = {
  /** The request is copied before this returns. */
  ask: (request: Request) => Promise<Result>
  /** Rejects all pending requests. */
  close: () => Promise<void>
}

/**
 * Runs work on a thread with a heap of its own. On the main thread, megabytes that come and go
 * would make the collector scan the whole heap repeatedly. That takes longer than the work, and
 * blocks the event loop. The thread starts with the first request, and again after a failure.
 * `program`: a file that calls `answerAsked`.
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
    // The thread keeps the process alive only while requests are pending. This comes after the
    // listeners, which would undo it.
    started.unref()
    return started
  }
  return {
    ask(request) {
      thread ??= start()
      lastId += 1
      const waiting = Promise.withResolvers<Result>()
      // A request that cannot be copied throws here, before it counts as pending.
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

/**
 * Answers requests inside the thread, several at a time, by their numbers. `given`: memory of a
 * result to transfer with it.
 */
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

/**
 * Returns the memory that can be transferred to another thread instead of copied: a V8 buffer that
 * holds exactly these bytes.
 */
export function wholeMemory({ buffer, byteLength }: Uint8Array): readonly ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}
