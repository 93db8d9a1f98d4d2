import { sql } from 'kysely'
import type { JobError, JobState } from '../../../core/jobs/jobs.ts'
import type { Db } from '../database.ts'

/** Facts about a job that decide what of its film can be played. */
export type FilmJob = {
  readonly accountId: string
  readonly state: JobState
  readonly filmFormat: string | null
  readonly framesTotal: number
  readonly outputKey: string | null
  readonly filesRemovedAt: Date | null
  readonly error: JobError | null
  /** Other jobs of its account render segments of it, or did. */
  readonly awaitsOthers: boolean
}

/** Finds a job of any account: its signed address is the permission. */
export async function findFilm(db: Db, jobId: string): Promise<FilmJob | undefined> {
  const { rows } = await sql<FilmJob>`
    select account_id as "accountId", state, film_format as "filmFormat",
      frames_total as "framesTotal", output_key as "outputKey",
      files_removed_at as "filesRemovedAt", error,
      awaited_segments <> '{}' as "awaitsOthers"
    from jobs where id = ${jobId} and preview is null`.execute(db)
  return rows[0]
}
