import type { RunningSpan } from '../../runtime/tracing/tracing.ts'

/** Request for a lane. */
type Asking = {
  readonly signal: AbortSignal
  readonly span: RunningSpan
  /** Key of related work; absent: it stands alone. */
  readonly group?: string
  /** Size relative to the rest of its group, in any unit that they share; read when a lane is free. */
  readonly size?: () => number
}

/**
 * Limits heavy work to one lane per core. Turns are granted in the order of the requests; within a
 * group the largest goes first, so that the lanes end at nearly the same time.
 */
export type Lanes = {
  readonly count: number
  /** Lanes in use now. */
  readonly busy: number
  /**
   * Runs the work when a lane is free. While it waits, which the span records as `lane`, an abort
   * rejects it with the signal's reason.
   */
  run<T>(of: Asking, work: () => Promise<T>): Promise<T>
}

type Waiting = Pick<Asking, 'group' | 'size'> & { readonly enter: () => void }

export function createLanes(count: number): Lanes {
  const waiting: Waiting[] = []
  let free = count

  const take = ({ signal, group, size }: Asking) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(turn), 1)
        reject(signal.reason)
      }
      const enter = () => {
        signal.removeEventListener('abort', leave)
        free -= 1
        resolve()
      }
      const turn: Waiting = {
        enter,
        ...(group !== undefined && { group, size: size ?? (() => 0) }),
      }
      if (free > 0) return enter()
      waiting.push(turn)
      signal.addEventListener('abort', leave, { once: true })
    })

  return {
    count,
    get busy() {
      return count - free
    },
    async run(asking, work) {
      const { signal, span } = asking
      signal.throwIfAborted()
      await (free > 0 ? take(asking) : span.part('lane', () => take(asking)))
      try {
        return await work()
      } finally {
        free += 1
        takeNext(waiting)?.enter()
      }
    },
  }
}

/**
 * Gives the first turn to the largest of its group; the first in line inherits that one's own turn.
 */
function takeNext(waiting: Waiting[]): Waiting | undefined {
  const [first] = waiting
  if (first?.group === undefined) return waiting.shift()
  let largest = 0
  let most = Number.NEGATIVE_INFINITY
  for (const [at, { group, size = () => 0 }] of waiting.entries()) {
    if (group !== first.group) continue
    const own = size()
    if (own <= most) continue
    most = own
    largest = at
  }
  const [next] = waiting.splice(largest, 1, first)
  waiting.shift()
  return next
}
