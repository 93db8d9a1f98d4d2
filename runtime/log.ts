import { type Logger, pino } from 'pino'

export type Log = Logger

/** One JSON line an event, on stderr, so that stdout stays free for what a command answers. */
export function createLog(role: string, level = process.env.FARM_LOG_LEVEL ?? 'info'): Log {
  return pino({ base: { role }, level }, pino.destination(2))
}
