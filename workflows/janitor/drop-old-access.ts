import type { Log } from '../../runtime/log.ts'
import { repeat } from '../../runtime/repeat.ts'
import { dropAccess } from '../../store/db/access/drop-access.ts'
import type { Db } from '../../store/db/database.ts'

const everyMs = 60_000
const gigabyte = 1e9

/**
 * Drops days of the access log that are too old or too much. Any number may run.
 * @returns a function that stops it after the current turn.
 */
export function startDroppingAccess({
  db,
  log,
  accessDays: days,
  accessGigabytes,
}: {
  readonly db: Db
  readonly log: Log
  readonly accessDays: number
  readonly accessGigabytes: number
}): () => Promise<void> {
  const { stop } = repeat({
    everyMs,
    async run() {
      const dropped = await dropAccess(db, { days, bytes: accessGigabytes * gigabyte })
      if (dropped.length > 0) log.info({ dropped }, 'dropped days of the access log')
    },
    onError: (error) => log.warn({ err: error }, 'days of the access log could not be dropped'),
  })
  return stop
}
