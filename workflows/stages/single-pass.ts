import { engineVersion } from '../../core/engine.ts'
import { lengthFault } from '../../core/jobs/pricing.ts'
import { type Draft, factsOfDraft, planOfDraft } from '../../core/plan/draft.ts'
import { type FilmFormat, isFilmFormat } from '../../core/plan/formats.ts'
import { bakeNeeds } from '../../core/plan/needs.ts'
import { filmFormat, type Plan } from '../../core/plan/plan.ts'
import type { ResolvedProject } from '../../core/project/resolved.ts'
import type { BakeDocument, BakeFacts } from '../../core/queue/tasks.ts'
import { filmFrames, knownSeconds, unprobed } from '../../core/timeline/length.ts'
import { bakeKeyText } from '../../core/visuals/painted/bake-document.ts'
import { visualTypeOf } from '../../core/visuals/visual-types.ts'
import { sha256 } from '../../runtime/sha256.ts'
import { addWarnings } from '../../store/db/jobs/add-warnings.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import { draftKey } from '../../store/objects/job-keys.ts'
import type { RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'
import { bakeDigest, factWarnings, knownBake, recordBakes, type StoredBakes } from './job-inputs.ts'
import { type CachedMedia, mediaOf } from './media.ts'
import type { Next } from './next.ts'
import { finishedTasks } from './outcomes.ts'
import { type ResolvedJob, toFailure } from './resolve-job.ts'
import {
  canvasOf,
  chooseCanvas,
  chooseEncoder,
  costOf,
  isAt,
  offersFor,
  sizesOf,
} from './shards.ts'
import { startedTask, startTasks, type TaskRequest } from './start-tasks.ts'

/** Longer films are cut into segments, which other films of the account may share. */
const singlePassMaxSeconds = 5
/** Frames of 720p: half the limit below which a film is one shard. */
const singlePassMaxCost = 40

/**
 * Baking leaves the cores to Chromium, which paints the elements of several tasks in one page, and
 * frames are painted on lanes. So a node runs several of these tasks at once.
 */
const singlePassSlots = 0.125
const bakeCost = 5
/**
 * A longer draft becomes an object, which is written, signed, fetched and read again; a lease has
 * room for 27 drafts of this size.
 */
const shortDraftBytes = 32_768
/** Documents of one page. Longer lists become bake tasks, which several nodes share. */
const documentsMost = 60

/**
 * Queues one task for a small job that lacks only painted elements (`documents`). Undefined: the
 * job does not qualify, or no node takes such tasks.
 */
export async function startSinglePass(
  context: ActivityContext,
  {
    job,
    resolved: { project, limits, place },
    cached,
    stored,
    documents,
  }: {
    job: RenderJobInput
    resolved: ResolvedJob
    cached: CachedMedia
    stored: StoredBakes
    documents: readonly BakeDocument[]
  },
): Promise<Next | undefined> {
  if (!isSinglePassProject(project, documents)) return
  const [fleet, { media, bakes, keys }] = await Promise.all([
    findFleet(context, { project, place }),
    collectKnown(context, { job, project, cached, stored }),
  ])
  if (fleet === undefined) return
  const { offers, isStill, encoder, canvas } = fleet
  const tooLong = lengthFault(project, limits, { media, bakes })
  if (tooLong) throw toFailure([tooLong])
  const draft: Draft = {
    ...{ engine: engineVersion, project, documents, encoder, canvas },
    // Object keys are left out: a node gets the objects that its lease grants.
    media: [...media].map(([key, { digest, facts }]) => [key, { digest, facts }]),
    bakes: [...bakes],
  }
  const text = JSON.stringify(draft)
  const isShort = Buffer.byteLength(text) <= shortDraftBytes
  if (!isShort) await context.objects.put(draftKey(job), Buffer.from(text))
  // Players get the film's length before it is planned (film-tables.ts).
  const frames = filmFrames(project, { media, bakes })
  const request: TaskRequest<'make'> = {
    name: 'make',
    kind: 'make',
    spec: {
      bakes: documents.map((document) => bakeDigest(document, engineVersion)),
      encoder,
      ...(isShort && { draft: text }),
    },
    inputs: [
      ...(isShort ? [] : [{ name: 'draft', key: draftKey(job) }]),
      ...[...keys].map(([name, key]) => ({ name, key })),
    ],
    outputs: [...documents.map((_, index) => `bake-${index}`), 'output', 'thumbnail'],
    requirements: {
      slots: Math.max(singlePassSlots, documents.length / documentsMost),
      ...canvasOf({ canvas }),
      ...(!isStill && {
        encoder,
        ...sizesOf({ timeline: project, encoder: { encoder }, canvas }, offers),
      }),
    },
    cost: bakeCost + documents.length + costOf(project, frames),
    frames,
  }
  const started = await startTasks(context, job, [request])
  const format = isFilmFormat(project.outputFormat) ? project.outputFormat : 'mp4'
  if (!isStill) await recordFrames(context, { job, total: frames, painted: 0, format })
  return { wait: 'tasks', ...started, resume: 'settle' }
}

/** Answers whether a job that lacks only these elements qualifies for a single task. */
export async function qualifiesForSinglePass(
  context: ActivityContext,
  {
    resolved: { project, place },
    elements,
  }: { resolved: ResolvedJob; elements: readonly Painted[] },
): Promise<boolean> {
  return (
    isSinglePassProject(project, elements) &&
    (await findFleet(context, { project, place })) !== undefined
  )
}

/** An element that a browser paints, or its document. */
type Painted = { readonly code?: unknown }

function isSinglePassProject(project: ResolvedProject, elements: readonly Painted[]): boolean {
  if (elements.length === 0 || elements.length > documentsMost) return false
  return elements.every(({ code }) => code === undefined) && isSmall(project)
}

/** Returns undefined when no node makes such a job. */
async function findFleet(
  { queries }: ActivityContext,
  { project, place }: Pick<ResolvedJob, 'project' | 'place'>,
) {
  const offers = offersFor(place, await queries.listOffers())
  // Encoder and canvas are chosen as for a plan, so that jobs with the same plan can share the
  // file.
  const isStill = project.type === 'image'
  const encoder = chooseEncoder(offers, project.outputFormat)
  const canvas = chooseCanvas(offers, { kind: isStill ? 'still' : 'render', encoder })
  const canRender = offers.some(
    (offer) =>
      offer.kinds.includes('make') &&
      isAt(place, offer) &&
      offer.canvas === canvas.backend &&
      offer.device === canvas.device &&
      (isStill || offer.encoders.includes(encoder)),
  )
  return canRender ? { offers, isStill, encoder, canvas } : undefined
}

/** Finds the task that an earlier try of the step put into the queue. */
export function begunSinglePass(tasks: readonly JobTask[]): Next | undefined {
  const begun = tasks.filter(({ kind }) => kind === 'make')
  if (begun.length === 0) return undefined
  return { wait: 'tasks', tasks: begun.map(startedTask), resume: 'settle' }
}

/**
 * Rebuilds the plan by which a node made the whole job; undefined when none did. It follows from
 * the draft that the node got and from the bakes that it reports, not from the store. Records the
 * bakes and the warnings.
 */
export async function planOfSinglePass(
  context: ActivityContext,
  { job, tasks }: { job: RenderJobInput; tasks: readonly JobTask[] },
): Promise<Plan | undefined> {
  const [task] = finishedTasks(tasks, 'make')
  if (task === undefined) return undefined
  const text = task.spec.draft ?? String(await context.objects.read(draftKey(job)))
  const draft: Draft = JSON.parse(text)
  await recordBakes(context, { job, tasks })
  const { bakes: baked } = task.result
  const plan = planOfDraft(draft, { baked, sha256 })
  const facts = factsOfDraft(draft, baked)
  const documents = bakeNeeds(draft.project, facts.media)
  const warnings = factWarnings(draft.project, { ...facts, documents })
  await addWarnings(context.db, { ...job, warnings })
  if (plan.segments.length > 0) {
    const { frames: total } = plan.timeline
    const painted = plan.segments.reduce((sum, { pictures }) => sum + pictures, 0)
    await recordFrames(context, { job, total, painted, format: filmFormat(plan) })
    context.metrics.framesPlanned({ total, reused: 0 })
  }
  return plan
}

/** Records the frames for progress and for the charge of a cancelled job. */
async function recordFrames(
  { queries }: ActivityContext,
  {
    job,
    total,
    painted,
    format,
  }: { job: RenderJobInput; total: number; painted: number; format: FilmFormat },
): Promise<void> {
  const frames = { total, reused: 0, painted }
  await queries.enterStage({ ...job, stage: 'render', frames, format })
}

/** Sounds and clips are excluded, because they are stored by themselves. */
function isSmall(project: ResolvedProject): boolean {
  if (project.type === 'image') return true
  const containers = [project, ...project.scenes]
  const sounds = containers.some(
    ({ audios, visuals }) =>
      audios.length > 0 || visuals.some((visual) => visualTypeOf(visual).recording !== null),
  )
  return (
    !sounds &&
    knownSeconds(project) <= singlePassMaxSeconds &&
    costOf(project, filmFrames(project, unprobed)) < singlePassMaxCost
  )
}

/** Facts that earlier jobs found, and the keys of the objects by sha256. */
async function collectKnown(
  context: ActivityContext,
  {
    job,
    project,
    cached,
    stored,
  }: { job: RenderJobInput; project: ResolvedProject; cached: CachedMedia; stored: StoredBakes },
) {
  const media = await mediaOf(context, { job, tasks: [], cached })
  const keys = new Map([...media.values()].map(({ digest, objectKey }) => [digest, objectKey]))
  const bakes = new Map<string, BakeFacts>()
  for (const document of bakeNeeds(project, media)) {
    const known = knownBake(stored.get(bakeDigest(document, engineVersion)))
    if (known === undefined) continue
    bakes.set(bakeKeyText(document), known.facts)
    keys.set(known.facts.digest, known.objectKey)
  }
  return { media, bakes, keys }
}
