import { type DestinationStream, type Logger, pino } from 'pino'
import { RecentLines } from './recent-lines.ts'
import { isTraced } from './tracing/is-traced.ts'
import { traceIdOf } from './tracing/places.ts'

export type Log = Logger

/**
 * Logs one JSON line for each event, on stderr, so that stdout stays free for a command's output.
 * If traces are collected, a line that names a job names its trace too.
 */
export function createLog(role: string, level = process.env.FARM_LOG_LEVEL ?? 'info'): Log {
  const mixin = isTraced(process.env) && { mixin: traceOfLine }
  return pino({ base: { role }, level, ...mixin }, pino.destination(2))
}

function traceOfLine({ job, jobId = job }: { job?: unknown; jobId?: unknown }): object {
  return typeof jobId === 'string' ? { trace_id: traceIdOf(jobId) } : {}
}

/** Longest record; the beginning and the end each get half. */
const recordMaxBytes = 512 * 1024

/**
 * Wraps `log` to keep its lines as text too, from level info on, whatever `log` shows. The middle
 * of a record that gets too long is dropped. `hidden` writes to the record alone, `brief` to `log` alone.
 * `notes` writes to the record and to `recent`, which has the newest lines but the hidden ones.
 */
export function recordLog(
  log: Log,
  bindings: Readonly<Record<string, unknown>>,
): {
  readonly log: Log
  readonly hidden: Log
  readonly brief: Log
  readonly notes: Log
  readonly recent: RecentLines
  text(): string
} {
  const head: string[] = []
  const tail: string[] = []
  let headBytes = 0
  let tailBytes = 0
  const record: DestinationStream = {
    write(line) {
      if (headBytes + line.length <= recordMaxBytes / 2) {
        head.push(line)
        headBytes += line.length
        return
      }
      tail.push(line)
      tailBytes += line.length
      while (tailBytes > recordMaxBytes / 2) tailBytes -= tail.shift()?.length ?? tailBytes
    },
  }
  const recent = new RecentLines()
  const shown = Reflect.get(log, pino.symbols.streamSym) as DestinationStream
  const told = [
    { level: 'info', stream: record },
    { level: 'info', stream: recent },
  ]
  const streams = [...told]
  if (log.level !== 'silent') streams.push({ level: log.level, stream: shown })
  const base = { ...log.bindings(), ...bindings }
  return {
    log: pino({ base, level: log.level === 'debug' ? 'debug' : 'info' }, pino.multistream(streams)),
    hidden: pino({ base }, record),
    brief: log.child(bindings),
    notes: pino({ base }, pino.multistream(told)),
    recent,
    text: () => [...head, ...tail].join(''),
  }
}
