import { stringify } from 'csv-stringify/sync'
import { Type } from 'typebox'
import { jobStates } from '../../core/jobs/jobs.ts'
import type { BulkResult } from '../../store/db/bulks/list-results-of-bulk.ts'
import type { RefusedItem } from '../../store/db/schema.ts'
import { signOutputs } from '../../store/objects/output-links.ts'
import type { ApiContext } from '../context.ts'

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/** One row for each item of the bulk, in its order; a refused item has no job. */
export const ResultRow = Type.Object(
  {
    index: Type.Integer({ minimum: 0 }),
    jobId: Nullable(Type.String({ format: 'uuid' })),
    name: Nullable(Type.String()),
    state: Type.Enum([...jobStates, 'refused']),
    url: Nullable(Type.String({ format: 'uri' })),
    format: Nullable(Type.String()),
    duration: Nullable(Type.Number()),
    size: Nullable(Type.Integer()),
    creditsCharged: Type.Integer(),
    error: Nullable(Type.String()),
  },
  { $id: 'BulkResult' },
)
type Row = Awaited<ReturnType<typeof showResults>>[number]

export async function showResults(
  context: Pick<ApiContext, 'objects'>,
  { jobs, refused }: { jobs: readonly BulkResult[]; refused: readonly RefusedItem[] },
) {
  const done = await Promise.all(jobs.map((job) => showJobResult(context, job)))
  return [...done, ...refused.map(showRefusedItem)].toSorted((a, b) => a.index - b.index)
}

async function showJobResult(
  { objects }: Pick<ApiContext, 'objects'>,
  {
    index,
    jobId,
    name,
    state,
    result,
    error,
    outputKey,
    filesExpireAt,
    creditsCharged,
  }: BulkResult,
) {
  const { url } = await signOutputs(objects, {
    outputKey,
    thumbnailKey: null,
    name,
    format: result?.format,
    filesExpireAt,
  })
  return {
    ...{ index, jobId, name, state, url, creditsCharged },
    format: result?.format ?? null,
    duration: result?.duration ?? null,
    size: result?.size ?? null,
    error: error?.message ?? null,
  }
}

function showRefusedItem({ index, details }: RefusedItem) {
  const sentences = details.map(({ field, message }) => (field ? `${field}: ${message}` : message))
  return {
    ...{ index, jobId: null, name: null, state: 'refused' as const, url: null, format: null },
    ...{ duration: null, size: null, creditsCharged: 0 },
    error: sentences.join(' '),
  }
}

const columns = [
  ...['index', 'jobId', 'name', 'state', 'url', 'duration', 'size', 'creditsCharged', 'error'],
  'format',
]

/**
 * Formats the rows by RFC 4180, every text in quotes. A text that a spreadsheet would take for a
 * formula gets an apostrophe before it.
 */
export function resultsAsCsv(rows: readonly Row[]): string {
  return stringify([...rows], {
    header: true,
    columns,
    quoted_string: true,
    escape_formulas: true,
    record_delimiter: 'windows',
  })
}
