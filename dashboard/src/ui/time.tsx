import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { zoneNow } from '../settings/choices.ts'
import { absoluteTime, relativeTime } from '../words/format.ts'

const beatMs = 10_000
const now = signal(Date.now())
setInterval(beat, beatMs)
// A tab that comes to the front is right at once, not at the next beat.
document.addEventListener('visibilitychange', beat)

function beat(): void {
  if (!document.hidden) now.value = Date.now()
}

/** Time as `3 min ago`; the whole time as its title. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={absoluteTime(at, zoneNow())}>
      {relativeTime(at, nowFor(Date.parse(at)))}
    </time>
  )
}

/** Time that is awaited, counted down each second: `in 12 sec`, and `now` from then on. */
export function Countdown({ at }: { at: string }) {
  const [second, setSecond] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setSecond(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {relativeTime(at, Math.min(second, Date.parse(at)))}
    </time>
  )
}

/** Returns the time to tell `at` by: what has just happened is not in the future of a clock that beats slowly. */
function nowFor(at: number): number {
  const ahead = at - now.value
  return ahead > 0 && ahead < beatMs ? at : now.value
}
