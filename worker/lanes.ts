import type { RunningSpan } from '../runtime/tracing/tracing.ts'

/** Work that asks for a lane. */
type Asking = {
  readonly signal: AbortSignal
  readonly span: RunningSpan
  /** What belongs together; absent: it stands alone. */
  readonly group?: string
  /** How much it is beside what else is of its group, in whatever unit they share. */
  readonly size?: number
}

/**
 * So much heavy work at once, one lane for each core. Turns go in the order in which they were asked for; what belongs
 * together takes its turns largest first, whichever of it asked first: then the lanes end nearly together.
 */
export type Lanes = {
  readonly count: number
  /** Of them those that work now. */
  readonly busy: number
  /**
   * Runs the work when a lane is free; rejects with the signal's reason while it waits, which is a
   * part `lane` of the span.
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
      const turn: Waiting = { enter, ...(group !== undefined && { group, size: size ?? 0 }) }
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

/** The first turn, which is used by the largest of its group; that one's own turn is left to who had the first. */
function takeNext(waiting: Waiting[]): Waiting | undefined {
  const [first] = waiting
  if (first?.group === undefined) return waiting.shift()
  const sizeOf = (at: number) => waiting[at]?.size ?? 0
  let largest = 0
  for (const [at, { group }] of waiting.entries()) {
    if (group === first.group && sizeOf(at) > sizeOf(largest)) largest = at
  }
  const [next] = waiting.splice(largest, 1, first)
  waiting.shift()
  return next
}
