import { everyDay } from '../overview/every-day.ts'
import { counted } from '../words/format.ts'

export const sparkDays = 30
const height = 20
const step = 4

type Day = { readonly date: string; readonly requests: number }

/** Bars of a key's requests on each of the last 30 days, and their number in words. */
export function KeySpark({ usage }: { usage: readonly Day[] }) {
  const used = usage.map(({ date, requests }) => ({ date, credits: requests, jobs: 0 }))
  const days = everyDay(used, { count: sparkDays, today: new Date() })
  const all = days.reduce((sum, day) => sum + day.credits, 0)
  const most = Math.max(1, ...days.map((day) => day.credits))
  return (
    <span class="spark quiet">
      <svg viewBox={`0 0 ${sparkDays * step} ${height}`} aria-hidden="true">
        {days.map(({ date, credits: requests }, at) => {
          const tall = requests === 0 ? 1 : Math.max(2, (requests / most) * height)
          return (
            <rect
              key={date}
              class={requests === 0 ? 'none' : ''}
              {...{ x: at * step, y: height - tall, width: step - 1, height: tall }}
            />
          )
        })}
      </svg>
      {counted(all, 'request')} in {sparkDays} days
    </span>
  )
}
