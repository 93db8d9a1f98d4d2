import { sql } from 'kysely'
import type { JobError, JobPreview } from '../../../core/jobs/jobs.ts'
import type { Warning } from '../../../core/project/lint/warning.ts'
import { type SealKeys, seal, unseal } from '../../../runtime/seal.ts'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { prepared } from '../prepared.ts'

/**
 * Warnings and error of a preview, which quote the draft. From its end on they are sealed under a
 * key that follows from the draft alone: whoever asks for the preview has it, the database does not.
 */
type PreviewWords = {
  readonly warnings: readonly Warning[]
  readonly error: JobError | null
}

type Ended = PreviewWords & { readonly id: string; readonly preview: JobPreview }

/** Stands for the words of an error; its code stays for operators. */
const message = 'The words of a preview are sealed once it has ended'

/** Seals the words of ended previews; those without a key, of an older api, are dropped. */
export async function sealPreviewWords(
  db: Db,
  { accountId, jobIds }: { accountId: string; jobIds: readonly string[] },
): Promise<void> {
  const { rows } = await sql<Ended>`
    select id, warnings, error, preview from jobs
    where id = any(${jobIds}::uuid[]) and account_id = ${accountId}`.execute(db)
  const previews = rows.map(({ id, preview: { wordsKey, ...preview }, warnings, error }) => {
    if (wordsKey === undefined) return jsonb(preview)
    const words = seal(keysOf(wordsKey), jsonb({ warnings, error }), aboutOf(id))
    return jsonb({ ...preview, words })
  })
  const errors = rows.map(({ error }) => error && jsonb({ code: error.code, message, details: [] }))
  await sql`
    ${prepared('seal-preview-words')} update jobs
    set warnings = '[]'::jsonb, error = ended.error::jsonb, preview = ended.preview::jsonb
    from unnest(${rows.map(({ id }) => id)}::uuid[], ${errors}::text[], ${previews}::text[])
      as ended (id, error, preview)
    where jobs.id = ended.id and jobs.account_id = ${accountId}`.execute(db)
}

/** Opens the words of a preview as its row has them: sealed, or in clear until its end. */
export function openPreviewWords(
  wordsKey: string,
  { jobId, words, ...clear }: PreviewWords & { jobId: string; words: string | null },
): PreviewWords {
  if (words === null) return clear
  return JSON.parse(unseal(keysOf(wordsKey), words, aboutOf(jobId))) as PreviewWords
}

function keysOf(wordsKey: string): SealKeys {
  return [{ id: 'draft', key: Buffer.from(wordsKey, 'hex') }]
}

function aboutOf(jobId: string): string {
  return `preview ${jobId}`
}
