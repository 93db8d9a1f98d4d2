import { sql } from 'kysely'
import type { JobError, JobResult, JobState } from '../../../core/jobs/jobs.ts'
import type { Warning } from '../../../core/project/lint/warning.ts'
import type { Db } from '../database.ts'
import { openPreviewWords } from './preview-words.ts'

/** A preview of an account, painted or not. */
export type Preview = {
  readonly jobId: string
  readonly state: JobState
  /** Set once it is painted. */
  readonly result: JobResult | null
  readonly outputKey: string | null
  readonly filesExpireAt: Date | null
  /** Set when it cannot be painted. */
  readonly error: JobError | null
  readonly warnings: readonly Warning[]
}

/** Time for which a painted sheet is found again, and a failure is told instead of another try. */
const cachedSeconds = 15 * 60
const failureKeptSeconds = 15
/** A refreshed one is found by those who ask again because it took long. */
const refreshedSeconds = 30

const columns = sql`id as "jobId", state, result, output_key as "outputKey",
  files_expire_at as "filesExpireAt", error, warnings, preview->>'words' as words`

type Row = Preview & { readonly words: string | null }

/**
 * Finds the account's latest preview of a fingerprint that is being painted, was painted lately, or
 * failed just now. A cancelled one counts as failed. `isRefreshed`: only one whose media were asked
 * for again, just now.
 */
export async function findPreview(
  db: Db,
  {
    accountId,
    fingerprint,
    wordsKey,
    isRefreshed,
  }: { accountId: string; fingerprint: string; wordsKey: string; isRefreshed: boolean },
): Promise<Preview | undefined> {
  const { rows } = await sql<Row>`
    select ${columns} from jobs
    where account_id = ${accountId} and preview is not null
      and preview->>'fingerprint' = ${fingerprint}
      and (finished_at is null or finished_at > now() - make_interval(secs =>
        case when state = 'completed' and ${isRefreshed} then ${sql.lit(refreshedSeconds)}
          when state = 'completed' then ${sql.lit(cachedSeconds)}
          else ${sql.lit(failureKeptSeconds)} end))
      and files_removed_at is null
      and (not ${isRefreshed} or preview->>'refresh' = 'true')
    order by created_at desc limit 1`.execute(db)
  return opened(rows[0], wordsKey)
}

export async function getPreview(
  db: Db,
  { accountId, jobId, wordsKey }: { accountId: string; jobId: string; wordsKey: string },
): Promise<Preview | undefined> {
  const { rows } = await sql<Row>`
    select ${columns} from jobs
    where id = ${jobId} and account_id = ${accountId} and preview is not null`.execute(db)
  return opened(rows[0], wordsKey)
}

function opened(row: Row | undefined, wordsKey: string): Preview | undefined {
  if (row === undefined) return undefined
  const { words, ...preview } = row
  return { ...preview, ...openPreviewWords(wordsKey, row) }
}
