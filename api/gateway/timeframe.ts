import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'

const defaultDays = 30
const maxDays = 366

/** Query parameters of statistics by day. */
export const daysQuery = {
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: maxDays, default: defaultDays })),
  timeframe: Type.Optional(
    Type.String({
      pattern: '^(?:24h|(?:[1-9]|[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])d)$',
      title: `24h, or days like 7d, 30d and 90d, up to ${maxDays}d`,
      description:
        'Alternative to days: 24h means 1, 7d means 7, 30d means 30. Days are in UTC and include today',
    }),
  ),
}

/** Reads the days of a query. @throws FarmError when it names two different numbers */
export function readDays({
  days,
  timeframe,
}: {
  readonly days?: number
  readonly timeframe?: string
}): number {
  const meant = timeframe === '24h' ? 1 : timeframe && Number.parseInt(timeframe, 10)
  if (days !== undefined && meant && days !== meant) {
    const message = `timeframe and days must mean the same number of days. Got ${timeframe} and ${days}`
    throw new FarmError('invalid_value', message, { field: 'timeframe' })
  }
  return days ?? (meant || defaultDays)
}
