import './day-bars.css'
import { credits } from '../words/format.ts'
import { type Day, everyDay } from './every-day.ts'

const height = 80
const barWidth = 12
const gap = 4

/** Bars of the credits of each day up to today, days without use included; the same as a table. */
export function DayBars({ days: used, count }: { days: readonly Day[]; count: number }) {
  const days = everyDay(used, { count, today: new Date() })
  const most = Math.max(1, ...days.map((day) => day.credits))
  const width = days.length * (barWidth + gap)
  return (
    <>
      <svg class="bars" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {days.map(({ date, credits: spent }, i) => {
          const tall = Math.max(spent > 0 ? 2 : 1, (spent / most) * height)
          return (
            <rect
              key={date}
              class={spent > 0 ? '' : 'none'}
              x={i * (barWidth + gap)}
              y={height - tall}
              width={barWidth}
              height={tall}
              rx={2}
            >
              <title>{`${date}: ${credits(spent)}`}</title>
            </rect>
          )
        })}
      </svg>
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">Jobs</th>
              <th scope="col">Credits</th>
            </tr>
          </thead>
          <tbody>
            {used.map((day) => (
              <tr key={day.date}>
                <td>{day.date}</td>
                <td>{day.jobs}</td>
                <td>{day.credits}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}
