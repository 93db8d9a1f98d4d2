import { sql } from 'kysely'
import type { Warning } from '../../../core/project/lint/warning.ts'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'

/**
 * Appends warnings to those of a job. Equal ones are added once, so a step may be repeated. Fonts
 * and characters that were missing at submission are not reported twice for one field.
 */
export async function addWarnings(
  db: Db,
  {
    accountId,
    jobId,
    warnings,
  }: { accountId: string; jobId: string; warnings: readonly Warning[] },
): Promise<void> {
  if (warnings.length === 0) return
  await sql`
    update jobs set updated_at = now(), warnings = warnings || (
      select coalesce(jsonb_agg(warning order by place), '[]')
      from jsonb_array_elements(${jsonb(warnings)}::jsonb) with ordinality as new (warning, place)
      where not jobs.warnings @> jsonb_build_array(warning)
        and not (
          warning ->> 'code' in ('unknown_font', 'missing_glyph') and jobs.warnings @> jsonb_build_array(
            jsonb_build_object('code', warning -> 'code', 'field', warning -> 'field')
          )
        )
    )
    where id = ${jobId} and account_id = ${accountId}
      and (preview is null or finished_at is null)`.execute(db)
}
