import { useEffect, useRef } from 'preact/hooks'

type Sent = { readonly status: string; readonly nextAttemptAt: string | null }

/** An attempt takes a moment to be answered and written. */
const attemptMs = 1_000
/** Shortest time between two readings: deliveries that fail must not eat the account's rate. */
const shortestMs = 5_000

/** Reads deliveries again when their next attempt was due: no event tells of attempts. */
export function useNextAttempt(deliveries: readonly Sent[], read: () => void): void {
  const latest = useRef(read)
  latest.current = read
  const last = useRef(0)
  useEffect(() => {
    const pending = deliveries.filter(({ status }) => status === 'pending')
    if (pending.length === 0) return
    const due = Math.min(
      ...pending.map(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? '') || 0),
    )
    const at = Math.max(due + attemptMs, last.current + shortestMs)
    const timer = setTimeout(() => {
      last.current = Date.now()
      latest.current()
    }, at - Date.now())
    return () => clearTimeout(timer)
  }, [deliveries])
}
