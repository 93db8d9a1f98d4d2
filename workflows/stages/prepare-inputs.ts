import { bakeNeeds, elementsWithPictures, mediaNeeds } from '../../core/plan/needs.ts'
import type { IngestSpec } from '../../core/queue/tasks.ts'
import { mediaKey } from '../../core/timeline/facts.ts'
import { bakeKeyText } from '../../core/visuals/painted/bake-document.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import type { PreparingJob, RenderJobInput } from '../contract.ts'
import { bakeRequests, findBakes } from './bakes.ts'
import type { ActivityContext } from './context.ts'
import { type JobMedia, mediaOf, mediaToFetch, writeCachedMedia } from './media.ts'
import type { Next } from './next.ts'
import { render } from './render.ts'
import { resolveJob } from './resolve-job.ts'
import { begunRender } from './shards.ts'
import { begunSinglePass, qualifiesForSinglePass, startSinglePass } from './single-pass.ts'
import { startTasks, type TaskRequest } from './start-tasks.ts'

const askedAgainSlots = 0.125

/** Frames' worth of work, for fairness between accounts. */
const ingestCost = 10

/**
 * Stages resolve, ingest and bake. Media and bakes are independent, so they are queued together.
 *
 * - URLs that were fetched before are revalidated.
 * - Elements with pictures by URL in their html are baked once those are fetched.
 * - Rendering begins here when nothing is missing. One task makes a small job that lacks only
 *   painted elements; a job of a bulk waits for its media to become one, and so does a job with
 *   pictures by URL in html.
 * - A job that lacks exactly the media that another job of its group fetches waits for that job,
 *   once.
 * - A preview paints its elements apart, so that the render that follows finds them.
 * - A repeated step that finds rendering begun looks for no media: the plan uses those found first.
 */
export async function prepareInputs(
  context: ActivityContext,
  { hasWaited = false, ...job }: PreparingJob,
): Promise<Next> {
  const tasks = await context.queries.listTasks(job)
  const begun = begunSinglePass(tasks)
  if (begun) return begun
  if (begunRender(tasks).tasks.length > 0) return await render(context, job)
  await context.queries.enterStage({ ...job, stage: 'resolve' })
  const resolved = await resolveJob(context, job)
  const { project, preview } = resolved
  const { wanted, cached } = await mediaToFetch(context, {
    ...{ job, needs: mediaNeeds(project), tasks, isRefreshed: preview?.refresh === true },
  })
  const ingests = wanted.map(ingestRequest).sort(longestFirst)
  // Searched right after a batched query, so that the searches of the group's jobs form a batch
  // too.
  const behind = hasWaited ? undefined : await otherThatFetches(context, { job, tasks, ingests })
  const hasSubtitleFile = project.subtitle?.src !== undefined
  const isComplete = wanted.length === 0 && !hasSubtitleFile
  const media: JobMedia = isComplete ? new Map(Object.entries(cached)) : new Map()
  const { stored, missing } = await findBakes(context, {
    job,
    documents: bakeNeeds(project, media),
  })
  const pending = wanted.length > 0 ? elementsWithPictures(project) : []
  const hasLateBakes = hasSubtitleFile || pending.length > 0
  const isBaking = tasks.some(({ kind }) => kind === 'bake')
  if (wanted.length === 0 && !hasSubtitleFile && !isBaking && preview === null) {
    const started = await startSinglePass(context, {
      job,
      resolved,
      cached,
      stored,
      documents: missing,
    })
    if (started) return started
  }
  // A job alone would finish later that way, unless it shows what is fetched; many get fewer tasks.
  const gains = (job.bulkId !== undefined || pending.length > 0) && preview === null
  const isLater = gains && ingests.length > 0 && !hasSubtitleFile && !isBaking
  const elements = [...missing, ...pending]
  const isSinglePassLater =
    isLater && (await qualifiesForSinglePass(context, { resolved, elements }))
  const documents = isSinglePassLater ? [] : missing
  const bakes = await bakeRequests(context, { job, documents, keys: keysOf(media) })
  if (behind !== undefined) {
    const started = await startTasks(context, job, bakes)
    return { wait: 'media-of', ...started, jobId: behind, resume: 'prepareInputs' }
  }
  if (hasLateBakes || ingests.length + bakes.length > 0) {
    await writeCachedMedia(context, { job, cached })
    const started = await startTasks(context, job, [...ingests, ...bakes])
    if (isSinglePassLater) return { wait: 'tasks', ...started, resume: 'prepareInputs' }
    return { wait: 'tasks', ...started, resume: hasLateBakes ? 'bakeCaptions' : 'render' }
  }
  return await render(context, job, { resolved, tasks, cached, stored })
}

/**
 * Queues the bakes of captions, once the subtitle file has been read, and of elements with pictures
 * by URL, once those are fetched.
 */
export async function bakeCaptions(context: ActivityContext, job: RenderJobInput): Promise<Next> {
  const { project } = await resolveJob(context, job)
  const tasks = await context.queries.listTasks(job)
  const media = await mediaOf(context, { job, tasks })
  const known = new Set(bakeNeeds(project).map((each) => bakeKeyText(each)))
  const unknown = bakeNeeds(project, media).filter((each) => !known.has(bakeKeyText(each)))
  const { missing: documents } = await findBakes(context, { job, documents: unknown })
  const requests = await bakeRequests(context, { job, documents, keys: keysOf(media) })
  const started = await startTasks(context, job, requests)
  return { wait: 'tasks', ...started, resume: 'render' }
}

/** The objects of media, by sha256. */
function keysOf(media: JobMedia): ReadonlyMap<string, string> {
  return new Map([...media.values()].map(({ digest, objectKey }) => [digest, objectKey]))
}

/**
 * Finds a job of the group that fetches exactly what this one lacks. A job that has begun to fetch
 * waits for no other.
 */
async function otherThatFetches(
  { queries }: ActivityContext,
  {
    job: { accountId, jobId, group },
    tasks,
    ingests,
  }: {
    job: RenderJobInput
    tasks: readonly JobTask[]
    ingests: readonly TaskRequest<'ingest'>[]
  },
): Promise<string | undefined> {
  if (group === undefined || ingests.length === 0) return undefined
  if (tasks.some(({ kind }) => kind === 'ingest')) return undefined
  const names = ingests.map(({ name }) => name)
  return await queries.findFetching({ accountId, jobId, group, names })
}

/** Media that bakes wait for come first: captions of a file, pictures of html. A clip or a sound takes
 * longer than a picture. */
const order: readonly IngestSpec['expect'][] = ['subtitle', 'video', 'audio', 'gif', 'image']

function longestFirst(a: TaskRequest<'ingest'>, b: TaskRequest<'ingest'>): number {
  const place = ({ spec: { expect, isInHtml } }: TaskRequest<'ingest'>) =>
    order.indexOf(isInHtml ? 'subtitle' : expect)
  return place(a) - place(b)
}

/** Names the task by its media: a repeated step may find less to fetch, or more. */
function ingestRequest(spec: IngestSpec): TaskRequest<'ingest'> {
  return {
    name: `ingest-${sha256(mediaKey(spec)).slice(0, 16)}`,
    kind: 'ingest',
    spec,
    inputs: [],
    outputs: ['media'],
    // Revalidation is cheap: the server mostly answers that nothing has changed.
    requirements: { slots: spec.known ? askedAgainSlots : 1 },
    cost: ingestCost,
  }
}
