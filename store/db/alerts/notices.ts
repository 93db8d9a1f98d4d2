import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Notice, NoticeForm } from '../../../core/alerts/notice.ts'
import { noticeDelay } from '../../../core/alerts/notice.ts'
import type { Db } from '../database.ts'

/** A notice to send, with its receiver as it is stored. */
export type DueNotice = Notice & {
  /** Tries before this one. */
  readonly attempts: number
  readonly receiverId: string
  readonly receiver: string
  readonly form: NoticeForm
  readonly sealed: Buffer
  readonly sealKey: string
}

/**
 * Claims notices that are due. Nobody else gets them within `claimSeconds`. An alert's end waits for
 * its beginning, so a receiver never hears them the wrong way round.
 */
export async function claimNotices(
  db: Db,
  { limit, claimSeconds }: { readonly limit: number; readonly claimSeconds: number },
): Promise<readonly DueNotice[]> {
  const { rows } = await sql<Omit<DueNotice, 'at'> & { readonly at: Date }>`
    with due as (
      select id from notices n where next_at <= now() and not exists (
        select from notices earlier
        where earlier.receiver_id = n.receiver_id and earlier.alert_id = n.alert_id
          and earlier.id < n.id and earlier.next_at is not null
      )
      order by next_at, id limit ${limit} for update skip locked
    ), claimed as (
      update notices n set next_at = now() + ${claimSeconds} * interval '1 second'
      from due where n.id = due.id returning n.*
    )
    select n.id::text, n.alert_id as "alertId", n.state, n.alert, n.severity, n.words,
      n.created_at as at, n.attempts, r.id as "receiverId", r.name as receiver, r.form, r.sealed,
      r.seal_key as "sealKey"
    from claimed n join notice_receivers r on r.id = n.receiver_id order by n.id`.execute(db)
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

/** Ends a try. `error` null: the receiver took it. A failed one is tried again, or given up. */
export async function endNoticeTry(
  db: Db,
  { id, attempts, error }: Pick<DueNotice, 'id' | 'attempts'> & { readonly error: string | null },
): Promise<void> {
  const tries = attempts + 1
  const delayMs = error === null ? undefined : noticeDelay(tries)
  await sql`
    update notices set attempts = ${tries}, error = ${error},
      sent_at = case when ${error === null} then now() end,
      next_at = now() + ${delayMs ?? null}::double precision * interval '1 millisecond'
    where id = ${id}`.execute(db)
}

/** Orders a test: an alert that begins and ends at once, which only this receiver hears of. */
export async function orderTestNotice(
  db: Db,
  { receiverId, words }: { readonly receiverId: string; readonly words: string },
): Promise<void> {
  const alertId = randomUUID()
  for (const state of ['raised', 'ended']) {
    await sql`
      insert into notices (receiver_id, alert_id, state, alert, severity, words)
      values (${receiverId}, ${alertId}, ${state}, 'FarmTest', 'ticket', ${words})`.execute(db)
  }
}
