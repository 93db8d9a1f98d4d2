import { bakeNeeds, elementsWithPictures, mediaNeeds } from '../../core/plan/needs.ts'
import type { BakeDocument, IngestSpec } from '../../core/queue/tasks.ts'
import { animationTimes } from '../../core/timeline/animation-times.ts'
import { mediaKey } from '../../core/timeline/facts.ts'
import { bakeKeyText } from '../../core/visuals/painted/bake-document.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import { documentsKey } from '../../store/objects/job-keys.ts'
import type { PreparingJob, RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'
import { inputsOf, type StoredBakes } from './job-inputs.ts'
import { type JobMedia, mediaOf, mediaToFetch, writeCachedMedia } from './media.ts'
import type { Next } from './next.ts'
import { render } from './render.ts'
import { resolveJob } from './resolve-job.ts'
import { begunRender } from './shards.ts'
import { begunSinglePass, qualifiesForSinglePass, startSinglePass } from './single-pass.ts'
import { startTasks, type TaskRequest } from './start-tasks.ts'

/** Documents of one task: they share a page of the browser, and several nodes share a long list. */
const documentsPerTask = 60
/**
 * After its first few documents a page of the browser costs little. So eight tasks with one
 * document each fit one slot, and a node bakes those of an account in one page.
 */
const documentsPerSlot = 8
const askedAgainSlots = 0.125

/** Frames' worth of work, for fairness between accounts. */
const ingestCost = 10
const bakeTaskCost = 5

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
  const bakes = await bakeRequests(context, { job, documents, media })
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
  const known = new Set(bakeNeeds(project).map(bakeKeyText))
  const unknown = bakeNeeds(project, media).filter((each) => !known.has(bakeKeyText(each)))
  const { missing: documents } = await findBakes(context, { job, documents: unknown })
  const requests = await bakeRequests(context, { job, documents, media })
  const started = await startTasks(context, job, requests)
  return { wait: 'tasks', ...started, resume: 'render' }
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

/**
 * Splits documents into those painted before, by the sha256 of their key text, and the missing
 * ones, each once.
 */
async function findBakes(
  { queries, metrics }: ActivityContext,
  { job, documents }: { job: RenderJobInput; documents: readonly BakeDocument[] },
): Promise<{ stored: StoredBakes; missing: readonly BakeDocument[] }> {
  const distinct = new Map(documents.map((each) => [sha256(bakeKeyText(each)), each]))
  const digests = [...distinct.keys()]
  const stored = await queries.getArtifacts({ ...job, kind: 'bake', digests })
  metrics.lookedUp('bake', { hits: stored.size, misses: digests.length - stored.size })
  const missing = [...distinct].flatMap(([digest, each]) => (stored.has(digest) ? [] : [each]))
  return { stored, missing }
}

async function bakeRequests(
  context: ActivityContext,
  {
    job,
    documents: missing,
    media,
  }: { job: RenderJobInput; documents: readonly BakeDocument[]; media: JobMedia },
): Promise<TaskRequest[]> {
  const stills = missing.filter(({ code }) => code === undefined)
  // A moving document has a browser of its own, and a result as long as its frames.
  const batches = missing.filter(({ code }) => code !== undefined).map((document) => [document])
  // A repeated step may find pictures that were not there: the other documents are to be the same tasks.
  for (const some of partition(stills, ({ pictures }) => pictures === undefined)) {
    for (let from = 0; from < some.length; from += documentsPerTask) {
      batches.push(some.slice(from, from + documentsPerTask))
    }
  }
  const keys = new Map([...media.values()].map(({ digest, objectKey }) => [digest, objectKey]))
  return Promise.all(batches.map((batch) => bakeRequest(context, { job, documents: batch, keys })))
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))]
}

const paintedFrames = ({ code }: BakeDocument) => (code ? animationTimes(code).length : 1)

/** Names the task by its documents: a repeated step never changes them. */
async function bakeRequest(
  { objects }: ActivityContext,
  {
    job,
    documents,
    keys,
  }: {
    job: RenderJobInput
    documents: readonly BakeDocument[]
    keys: ReadonlyMap<string, string>
  },
): Promise<TaskRequest> {
  const text = JSON.stringify(documents)
  const digest = sha256(text)
  const key = documentsKey(job, digest)
  await objects.put(key, Buffer.from(text))
  return {
    name: `bake-${digest.slice(0, 16)}`,
    kind: 'bake',
    spec: { count: documents.length },
    inputs: [{ name: 'documents', key }, ...inputsOf(picturesOf(documents), keys)],
    outputs: documents.map((_, index) => `bake-${index}`),
    requirements: { slots: documents.some(({ code }) => code) ? 1 : slotsOf(documents.length) },
    cost: documents.reduce((sum, document) => sum + paintedFrames(document), bakeTaskCost),
  }
}

const picturesOf = (documents: readonly BakeDocument[]) =>
  new Set(documents.flatMap(({ pictures = [] }) => pictures.map(({ digest }) => digest)))

function slotsOf(documents: number): number {
  return Math.min(1, documents / documentsPerSlot)
}
