import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { type IngestSpec, MediaFacts } from '../../core/queue/tasks.ts'
import { mediaKey } from '../../core/timeline/facts.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { FetchedMedium } from '../../store/db/artifacts/find-fetched-media.ts'
import { putFetchedMedium } from '../../store/db/artifacts/put-fetched-medium.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import { cachedMediaKey } from '../../store/objects/job-keys.ts'
import { ObjectMissingError } from '../../store/objects/object-store.ts'
import type { RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'
import { badAnswer, type Finished, finishedTasks, outputKey } from './outcomes.ts'

/** A medium of a job, and where its bytes are. */
const Medium = Type.Object({
  digest: Type.String(),
  bytes: Type.Integer(),
  facts: MediaFacts,
  objectKey: Type.String(),
})
type Medium = Static<typeof Medium>

/** Media by `mediaKey`. */
export type JobMedia = ReadonlyMap<string, Medium>

/**
 * Media of earlier jobs, by `mediaKey`. A current one is used as it is; the others are revalidated.
 */
const CachedMedia = Type.Record(
  Type.String(),
  Type.Object({ ...Medium.properties, isCurrent: Type.Boolean() }),
)
export type CachedMedia = Static<typeof CachedMedia>

type Fetching = {
  readonly job: RenderJobInput
  readonly needs: readonly IngestSpec[]
  readonly tasks: readonly JobTask[]
  /** Every origin is asked, however fresh its media. */
  readonly isRefreshed?: boolean
}

type ToFetch = { readonly wanted: readonly IngestSpec[]; readonly cached: CachedMedia }

/**
 * Splits a job's media into those to fetch and those that earlier jobs fetched. A repeated step
 * keeps what the first one found and counts its tasks. When nothing is left to fetch, it records
 * what they fetched.
 */
export async function mediaToFetch(
  context: ActivityContext,
  { job, needs, tasks, isRefreshed = false }: Fetching,
): Promise<ToFetch> {
  if (needs.length === 0) return { wanted: [], cached: {} }
  const isRepeated = tasks.some(({ kind }) => kind === 'ingest')
  if (isRepeated) return leftToFetch(context, { job, needs, tasks })
  const urlDigests = needs.map(({ url }) => sha256(url))
  const found = await context.queries.findFetchedMedia({ ...job, urlDigests })
  const byNeed = new Map(found.map((each) => [`${each.expect} ${each.urlDigest}`, each]))
  const cached: CachedMedia = {}
  const wanted = needs.flatMap((need): IngestSpec[] => {
    const known = byNeed.get(`${need.expect} ${sha256(need.url)}`)
    if (!known || !Value.Check(MediaFacts, known.facts)) return [need]
    const { digest, bytes, facts, objectKey } = known
    const isCurrent = known.isCurrent && !isRefreshed
    cached[mediaKey(need)] = { digest, bytes, facts, objectKey, isCurrent }
    return isCurrent ? [] : [{ ...need, known: { digest, ...validatorsOf(known) } }]
  })
  return { wanted, cached }
}

/**
 * Checks all needs, not only those without a task: the first step may have died before it queued
 * them all.
 */
async function leftToFetch(
  context: ActivityContext,
  { job, needs, tasks }: Fetching,
): Promise<ToFetch> {
  const cached = await readCachedMedia(context.objects, job)
  const media = await mediaOf(context, { job, tasks, cached })
  const wanted = needs.filter((need) => !media.has(mediaKey(need)))
  if (wanted.length > 0) return { wanted, cached }
  await recordMedia(context, { job, tasks, media })
  const fetched = [...media].map(([key, medium]) => [key, { ...medium, isCurrent: true }])
  return { wanted, cached: Object.fromEntries(fetched) }
}

/** Written before a task is started, because the job's later stages must find the same. */
export async function writeCachedMedia(
  { objects }: ActivityContext,
  { job, cached }: { job: RenderJobInput; cached: CachedMedia },
): Promise<void> {
  if (Object.keys(cached).length === 0) return
  await objects.put(cachedMediaKey(job), Buffer.from(JSON.stringify(cached)))
}

/**
 * Every medium of a job by its `mediaKey`, once its ingest tasks have ended. `cached`: media of
 * earlier jobs, when the same step has read them already.
 */
export async function mediaOf(
  { objects }: ActivityContext,
  {
    job,
    tasks,
    cached: found,
  }: { job: RenderJobInput; tasks: readonly JobTask[]; cached?: CachedMedia },
): Promise<JobMedia> {
  const cached = found ?? (await readCachedMedia(objects, job))
  const media = new Map<string, Medium>()
  for (const [key, medium] of Object.entries(cached)) if (medium.isCurrent) media.set(key, medium)
  for (const task of finishedTasks(tasks, 'ingest')) {
    media.set(mediaKey(task.spec), mediumOf(task, cached))
  }
  return media
}

/** Time for which a render takes the media as its preview saw them. */
const previewedSeconds = 15 * 60

/**
 * Records the media that a job's tasks fetched, for later jobs. `media`: all of the job, by
 * `mediaKey`. `isPreview`: the render that follows shall not fetch them again, nor show others.
 */
export async function recordMedia(
  context: ActivityContext,
  {
    job,
    tasks,
    media,
    isPreview = false,
  }: {
    job: RenderJobInput
    tasks: readonly JobTask[]
    media: JobMedia
    isPreview?: boolean
  },
): Promise<void> {
  const { accountId, jobId } = job
  for (const task of finishedTasks(tasks, 'ingest')) {
    const medium = media.get(mediaKey(task.spec))
    if (medium === undefined) throw badAnswer(task.name)
    const { objectKey, digest, bytes, facts } = medium
    const { etag, lastModified, freshSeconds } = task.result
    const { url, expect } = task.spec
    const fetched = { urlDigest: sha256(url), expect, digest, facts }
    await context.queries.putArtifact({
      accountId,
      kind: 'media',
      digest,
      objectKey,
      bytes,
      facts,
    })
    await putFetchedMedium(context.db, {
      ...{ accountId, jobId, task: task.name, ...fetched },
      ...{ etag, lastModified },
      freshSeconds: isPreview ? Math.max(freshSeconds, previewedSeconds) : freshSeconds,
    })
  }
}

/** A node may answer "unchanged" only about media that its task named. */
function mediumOf(task: Finished<'ingest'>, cached: CachedMedia): Medium {
  const { spec, result } = task
  const { digest, bytes, facts } = result
  if (facts?.kind === spec.expect) {
    return { digest, bytes, facts, objectKey: outputKey(task, 'media') }
  }
  const known = cached[mediaKey(spec)]
  if (facts || !known || digest !== spec.known?.digest || digest !== known.digest) {
    throw badAnswer(task.name)
  }
  return known
}

async function readCachedMedia(
  objects: ActivityContext['objects'],
  job: RenderJobInput,
): Promise<CachedMedia> {
  try {
    return Value.Parse(CachedMedia, JSON.parse(String(await objects.read(cachedMediaKey(job)))))
  } catch (error) {
    if (error instanceof ObjectMissingError) return {}
    throw error
  }
}

function validatorsOf({ etag, lastModified }: FetchedMedium) {
  return { ...(etag !== null && { etag }), ...(lastModified !== null && { lastModified }) }
}
