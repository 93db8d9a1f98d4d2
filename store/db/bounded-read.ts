import { sql } from 'kysely'
import pg from 'pg'
import type { Db } from './database.ts'

/** Postgres stopped a statement: it took too long, or somebody cancelled it. */
const queryCanceled = '57014'

/** A read took longer than it may. */
export class ReadTooLong extends Error {}

/**
 * Runs statements that may take long in a transaction of their own that changes nothing. Each ends after `ms`
 * of the database's time, or at once when the signal aborts.
 *
 * Errors: ReadTooLong; the signal's reason.
 */
export async function readWithin<T>(
  db: Db,
  { ms, signal }: { readonly ms: number; readonly signal?: AbortSignal | undefined },
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  try {
    return await db
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        const { rows } = await sql<{ pid: number }>`
          select pg_backend_pid() as pid, set_config('statement_timeout', ${`${ms}`}, true)`.execute(
          tx,
        )
        return await cancelledBy(signal, { db, pid: rows[0]?.pid ?? 0 }, () => work(tx))
      })
  } catch (error) {
    signal?.throwIfAborted()
    if (!(error instanceof pg.DatabaseError) || error.code !== queryCanceled) throw error
    throw new ReadTooLong(`The read must end within ${ms} ms`, { cause: error })
  }
}

/** Cancels the statement of a connection when the signal aborts; another connection has to say it. */
async function cancelledBy<T>(
  signal: AbortSignal | undefined,
  { db, pid }: { readonly db: Db; readonly pid: number },
  work: () => Promise<T>,
): Promise<T> {
  let cancelling: Promise<unknown> = Promise.resolve()
  const cancel = () => {
    cancelling = sql`select pg_cancel_backend(${pid})`.execute(db).catch(() => undefined)
  }
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    signal?.throwIfAborted()
    return await work()
  } finally {
    signal?.removeEventListener('abort', cancel)
    // The connection goes back to the pool: a late word would cancel the statement of another.
    await cancelling
  }
}
