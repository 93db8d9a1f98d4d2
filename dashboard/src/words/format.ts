export { duration } from '../../../core/duration.ts'

/** `en-GB` writes days before months and hours to 24; the browser's own language may read otherwise. */
const language = 'en-GB'
const number = new Intl.NumberFormat(language)
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })

export const count = (value: number) => number.format(value)

/** Zone of a `DateTimeFormat`; undefined: that of this computer. */
export type Zone = 'UTC' | undefined

/** Returns `3 March 2027`. */
export const day = (time: string, timeZone?: Zone) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone }).format(new Date(time))

const toTheSecond: Intl.DateTimeFormatOptions = {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
}

/** Returns `3 Mar 2027, 14:05:09 UTC`. */
export const absoluteTime = (time: string, timeZone?: Zone) =>
  new Intl.DateTimeFormat(language, { ...toTheSecond, timeZone }).format(new Date(time))

const dayS = 24 * 60 * 60

/**
 * Returns what an axis says at each of its times, in seconds since 1970: `14:05`, with the day in a second line
 * where it is another one than before. Steps of days have the day alone.
 */
export function axisTimes(
  times: readonly number[],
  { step, zone: timeZone }: { readonly step: number; readonly zone: Zone },
): readonly string[] {
  const days = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone })
  const clock = new Intl.DateTimeFormat(language, {
    ...{ hour: '2-digit', minute: '2-digit', timeZone },
    ...(step < 60 && { second: '2-digit' }),
  })
  let before = ''
  return times.map((at) => {
    const day = days.format(at * 1000)
    const isNew = day !== before
    before = day
    if (step >= dayS) return day
    return clock.format(at * 1000) + (isNew ? `\n${day}` : '')
  })
}

const steps = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.35],
  ['month', 12],
] as const

/** Returns `3 min ago`, `in 2 days`. Times of day in ms. */
export function relativeTime(time: string, now: number): string {
  let value = (Date.parse(time) - now) / 1000
  for (const [unit, most] of steps) {
    if (Math.abs(Math.round(value)) < most) return relative.format(Math.round(value), unit)
    value /= most
  }
  return relative.format(Math.round(value), 'year')
}

/** Returns `1.2 MB`, by thousands. */
export function bytes(size: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = size
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

export const credits = (value: number) => `${count(value)} ${value === 1 ? 'credit' : 'credits'}`

/** Returns `1 job`, `5 jobs`. */
export const counted = (value: number, one: string, many = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : many}`
