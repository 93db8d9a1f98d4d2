import { signal } from '@preact/signals'
import { absoluteTime, relativeTime } from '../words/format.ts'

const now = signal(Date.now())
setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, 10_000)

/** Time as `3 min ago`; the whole time as its title. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {relativeTime(at, Math.max(now.value, Date.parse(at)))}
    </time>
  )
}
