import { count, counted } from '../words/format.ts'

const longestForecast = 3650

/** Says how long credits last at the use of some days; empty: nothing was used. */
export function lastsFor(available: number, { spent, days }: { spent: number; days: number }) {
  return spent > 0 ? lasting((available * days) / spent) : ''
}

/** Says what a day cost on average; empty: nothing was used. */
export function aDay({ spent, days }: { spent: number; days: number }): string {
  if (spent === 0) return ''
  return spent < days ? 'less than 1 a day' : `${count(Math.round(spent / days))} a day`
}

/** Returns days, up to the ten years that a forecast may claim. */
const lasting = (left: number) =>
  left > longestForecast ? 'more than 10 years' : counted(Math.floor(left), 'day')
