import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Loaded } from '../../live/use-loaded.ts'

/** Time between two reads of what changes by the second. */
export const oftenMs = 2_000
/** Time between two reads of long lists. */
export const seldomMs = 5_000

/**
 * Reads again and again while the page is visible, and at once when `keys` change or the page is seen
 * again. One read follows the other's answer, so a slow farm is asked less. `everyMs` 0: once. An answer that
 * `isLast` ends the reading.
 */
export function usePolled<T>(
  load: (signal: AbortSignal) => Promise<T>,
  keys: readonly unknown[],
  everyMs: number = oftenMs,
  isLast: (data: T) => boolean = () => false,
): Loaded<T> {
  const [data, setData] = useState<T>()
  const [error, setError] = useState<Error>()
  const [turn, setTurn] = useState(0)
  const latest = useRef(load)
  latest.current = load

  useEffect(() => setData(undefined), keys)

  useEffect(() => {
    const ending = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isReading = false
    let isOver = false
    const next = async () => {
      if (document.hidden || isReading || isOver) return
      isReading = true
      clearTimeout(timer)
      try {
        const answer = await latest.current(ending.signal)
        if (ending.signal.aborted) return
        isOver = isLast(answer)
        setData(() => answer)
        setError(undefined)
      } catch (fault) {
        if (!ending.signal.aborted) setError(fault as Error)
      } finally {
        isReading = false
        if (!ending.signal.aborted && everyMs > 0 && !isOver) timer = setTimeout(next, everyMs)
      }
    }
    void next()
    document.addEventListener('visibilitychange', next)
    return () => {
      ending.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', next)
    }
  }, [...keys, everyMs, turn])

  const reload = useCallback(() => setTurn((before) => before + 1), [])
  const put = useCallback(
    (change: (data: T) => T) =>
      setData((before) => (before === undefined ? undefined : change(before))),
    [],
  )
  return { data, error, reload, put }
}
