import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type LiveEvent, onLive } from './live.ts'

export type Loaded<T> = {
  /** Undefined until the first answer; the old answer stays while a new one is read. */
  readonly data: T | undefined
  readonly error: Error | undefined
  readonly reload: () => void
  /** Replaces what is shown, until the next answer. */
  readonly put: (change: (data: T) => T) => void
}

/** Events of this time cost one request. */
const gatherMs = 500
/** Events that go on cost a request in this time: a page must not eat the account's rate. */
const reloadMs = 5_000

/**
 * Reads once, again when `keys` or `versions` change, and again on events of which `isAffected` is true.
 * Other `keys` are another thing, so that the old answer goes at once; other `versions` are the same thing
 * anew, and the old answer stays meanwhile. Answers to outdated requests are dropped.
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  {
    isAffected = () => false,
    versions = [],
  }: {
    readonly isAffected?: (event: LiveEvent) => boolean
    readonly versions?: readonly unknown[]
  } = {},
): Loaded<T> {
  const [data, setData] = useState<T>()
  const [error, setError] = useState<Error>()
  const [turn, setTurn] = useState(0)
  const latest = useRef({ load, isAffected })
  latest.current = { load, isAffected }

  useEffect(() => setData(undefined), keys)

  useEffect(() => {
    const ending = new AbortController()
    latest.current.load(ending.signal).then(
      (answer) => {
        if (ending.signal.aborted) return
        setData(() => answer)
        setError(undefined)
      },
      (fault) => {
        if (!ending.signal.aborted) setError(fault)
      },
    )
    return () => ending.abort()
  }, [...keys, ...versions, turn])

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let last = Number.NEGATIVE_INFINITY
    const stop = onLive((event) => {
      if (event.kind !== 'again' && !latest.current.isAffected(event)) return
      timer ??= setTimeout(
        () => {
          timer = undefined
          last = performance.now()
          setTurn((before) => before + 1)
        },
        Math.max(gatherMs, last + reloadMs - performance.now()),
      )
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [])

  const reload = useCallback(() => setTurn((before) => before + 1), [])
  const put = useCallback(
    (change: (data: T) => T) =>
      setData((before) => (before === undefined ? undefined : change(before))),
    [],
  )
  return { data, error, reload, put }
}
