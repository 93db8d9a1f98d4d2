import type { Log } from '../../runtime/log.ts'
import { repeat } from '../../runtime/repeat.ts'
import { type AccessRecord, insertAccess } from '../../store/db/access/insert-access.ts'
import { type Db, isDatabaseAway } from '../../store/db/database.ts'
import type { ApiMetrics } from '../metrics.ts'

/** Takes records of requests for the log that operators search. */
export type AccessRecords = {
  add(record: AccessRecord): void
  /** Writes what waits. */
  stop(): Promise<void>
}

/** A process that dies loses the records of this time; the lines of its log lose nothing. */
const flushMs = 1_000
/** Records that wait at most, some 5 MB: those of ten seconds at a thousand requests a second. */
const mostWaiting = 10_000
/** Records of one statement. */
const mostAtOnce = 1_000

/**
 * Collects records in memory and writes them once a second, beside the requests. While the database is
 * away they wait. Those that find no room are counted as lost, and no request waits for any.
 */
export function keepAccessRecords({
  db,
  log,
  metrics,
}: {
  readonly db: Db
  readonly log: Log
  readonly metrics: Pick<ApiMetrics, 'accessLost'>
}): AccessRecords {
  let waiting: AccessRecord[] = []
  let lost = 0
  const { stop } = repeat({
    everyMs: flushMs,
    run: flush,
    onError: (error) =>
      log.warn({ err: error, waiting: waiting.length }, 'requests wait for the log'),
  })
  return {
    add(record) {
      if (waiting.length < mostWaiting) waiting.push(record)
      else lost += 1
    },
    async stop() {
      await stop()
      while (await flush().catch(() => false));
      lose(waiting.splice(0).length, 'the process stops')
    },
  }

  /** Writes one batch. @returns whether more wait */
  async function flush(): Promise<boolean> {
    if (lost > 0) lose(lost, 'too many waited')
    lost = 0
    const batch = waiting.slice(0, mostAtOnce)
    if (batch.length === 0) return false
    try {
      await insertAccess(db, batch)
    } catch (error) {
      // Records that Postgres refuses would hold up all that follow.
      if (isDatabaseAway(error)) throw error
      log.warn({ err: error }, 'requests do not fit into the log')
      lose(batch.length, 'they were refused')
    }
    waiting = waiting.slice(batch.length)
    return waiting.length > 0
  }

  function lose(records: number, reason: string): void {
    if (records === 0) return
    metrics.accessLost(records)
    log.warn({ records, reason }, 'requests are missing in the log that operators search')
  }
}
