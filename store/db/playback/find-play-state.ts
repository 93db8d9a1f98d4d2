import { sql } from 'kysely'
import type { JobFrames } from '../../../core/jobs/jobs.ts'
import type { Db } from '../database.ts'
import type { FilmJob } from './find-film.ts'

/** A film's job, with the segments that can be played by now. */
export type PlayStateRow = FilmJob & {
  readonly type: 'video' | 'image'
  readonly name: string
  readonly frames: JobFrames
  /** Digests, of those asked for, that the account's store has. */
  readonly stored: readonly string[]
  /** Outputs that tasks of the job have written, like `segment-3`. */
  readonly written: readonly string[]
}

/** Finds a job of any account with all that a watching page shows of it, in one statement. */
export async function findPlayState(
  db: Db,
  { jobId, fingerprints }: { jobId: string; fingerprints: readonly string[] },
): Promise<PlayStateRow | undefined> {
  const { rows } = await sql<PlayStateRow>`
    select j.account_id as "accountId", j.state, j.film_format as "filmFormat",
      j.frames_total as "framesTotal", j.output_key as "outputKey",
      j.files_removed_at as "filesRemovedAt", j.error, j.type, j.name,
      j.awaited_segments <> '{}' as "awaitsOthers",
      json_build_object('total', j.frames_total, 'reused', j.frames_reused,
        'painted', j.frames_painted, 'done', coalesce((
          select sum(t.frames_done)::integer from tasks t where t.job_id = j.id
        ), 0)) as frames,
      array(
        select a.digest from artifacts a
        where a.account_id = j.account_id and a.kind = 'segment'
          and a.digest = any(${fingerprints})
      ) as stored,
      array(
        select output.name from tasks t join attempts a on a.task_id = t.id
          cross join lateral jsonb_array_elements_text(t.outputs) as output (name)
        where t.job_id = j.id and j.output_key is null
          and (a.attempt = t.won_attempt
            or (a.state = 'running' and output.name = any(a.written)))
      ) as written
    from jobs j where j.id = ${jobId} and j.preview is null`.execute(db)
  return rows[0]
}
