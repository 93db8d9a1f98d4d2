import { sql } from 'kysely'
import type { JobPreview } from '../../../core/jobs/jobs.ts'
import type { Warning } from '../../../core/project/lint/warning.ts'
import { takePermits } from '../accounts/take-permits.ts'
import { type Db, inTransaction } from '../database.ts'
import { jsonb } from '../jsonb.ts'

export type NewPreview = {
  readonly id: string
  readonly accountId: string
  readonly type: 'video' | 'image'
  readonly name: string
  readonly request: unknown
  readonly preview: JobPreview
  readonly warnings: readonly Warning[]
  readonly templateId: string | undefined
}

export type PreviewLimits = {
  readonly atOnce: number
  /** Absent: no limit. */
  readonly perMinute?: number
  readonly perDay?: number
}

export type InsertedPreview =
  | { readonly outcome: 'inserted' }
  /** Another request has inserted the same one. */
  | { readonly outcome: 'joined'; readonly jobId: string }
  | { readonly outcome: 'busy'; readonly atOnce: number }
  | {
      readonly outcome: 'over-rate'
      readonly per: 'minute' | 'day'
      readonly limit: number
      readonly secondsLeft: number
    }

/**
 * Inserts the job of a preview, unless the account paints the same one already, or as many as it
 * may. It waits at low priority: in a flow of its own, so that it comes before the account's long
 * films, and many come after other accounts' work.
 */
export async function insertPreview(
  db: Db,
  { id, accountId, type, name, request, preview, warnings, templateId }: NewPreview,
  limits: PreviewLimits,
): Promise<InsertedPreview> {
  return await inTransaction(db, async (tx) => {
    // Serializes the account's previews, so that they are counted exactly.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`previews ${accountId}`}, 0))`.execute(
      tx,
    )
    const { rows: open } = await sql<{ jobId: string; isSame: boolean }>`
      select id as "jobId", preview->>'fingerprint' = ${preview.fingerprint} as "isSame"
      from jobs where account_id = ${accountId} and preview is not null and finished_at is null
    `.execute(tx)
    const same = open.find(({ isSame }) => isSame)
    if (same) return { outcome: 'joined', jobId: same.jobId }
    if (open.length >= limits.atOnce) return { outcome: 'busy', atOnce: limits.atOnce }
    const over = await overRate(tx, accountId, limits)
    if (over) return over
    await sql`
      insert into jobs (id, account_id, type, name, request, credits_reserved, warnings,
        template_id, preview, priority)
      values (${id}, ${accountId}, ${type}, ${name}, ${jsonb(request)}::jsonb, 0,
        ${jsonb(warnings)}::jsonb, ${templateId ?? null}, ${jsonb(preview)}::jsonb, 'low')`.execute(
      tx,
    )
    return { outcome: 'inserted' }
  })
}

async function overRate(
  db: Db,
  accountId: string,
  { perMinute, perDay }: PreviewLimits,
): Promise<Extract<InsertedPreview, { outcome: 'over-rate' }> | undefined> {
  const windows = [
    { per: 'minute', limit: perMinute },
    { per: 'day', limit: perDay },
  ] as const
  for (const { per, limit } of windows) {
    if (limit === undefined) continue
    const subject = `previews-${per}:${accountId}`
    const { granted, secondsLeft } = await takePermits(db, { subject, limit, want: 1, per })
    if (granted === 0) return { outcome: 'over-rate', per, limit, secondsLeft }
  }
  return undefined
}
