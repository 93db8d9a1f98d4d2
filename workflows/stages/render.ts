import { engineVersion } from '../../core/engine.ts'
import { FarmError } from '../../core/errors.ts'
import { isFinal } from '../../core/jobs/jobs.ts'
import { lengthFault } from '../../core/jobs/pricing.ts'
import { assembleDigests, stillPixels, thumbnailSegment } from '../../core/plan/inputs.ts'
import { planInSteps } from '../../core/plan/make-plan.ts'
import { filmFormat, type Plan, type Segment } from '../../core/plan/plan.ts'
import type { ResolvedProject } from '../../core/project/resolved.ts'
import type { Facts } from '../../core/timeline/facts.ts'
import { runSliced } from '../../runtime/run-sliced.ts'
import { sha256 } from '../../runtime/sha256.ts'
import { claimSegments } from '../../store/db/artifacts/claim-segments.ts'
import type { NodeOffer, TaskRequirements } from '../../store/db/fleet-schema.ts'
import { addWarnings } from '../../store/db/jobs/add-warnings.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import { measurePace } from '../../store/db/queue/measure-pace.ts'
import { planKey } from '../../store/objects/job-keys.ts'
import type { RenderJobInput } from '../contract.ts'
import { bakeMissing } from './bakes.ts'
import { copyCachedOutput } from './cached-output.ts'
import type { ActivityContext } from './context.ts'
import { collectInputs, inputsOf, type JobInputs, type StoredBakes } from './job-inputs.ts'
import { type CachedMedia, writeCachedMedia } from './media.ts'
import type { Next, Settled, StartedTasks } from './next.ts'
import { checkAnswers } from './outcomes.ts'
import { type ResolvedJob, resolveJob, toFailure } from './resolve-job.ts'
import { readPlan } from './segments.ts'
import { type ReadBySettling, settle } from './settle.ts'
import {
  type BegunRender,
  begunRender,
  canvasOf,
  chooseCanvas,
  chooseEncoder,
  costOf,
  groupShards,
  isSoundAhead,
  offersFor,
  renderSlots,
  segmentsToRender,
  shardCostLeast,
  sizesOf,
  soundEncoderOf,
} from './shards.ts'
import { startSheet } from './sheet.ts'
import { findSound } from './sound.ts'
import { startedTask, startTasks, type TaskRequest } from './start-tasks.ts'
import { topUp } from './top-up.ts'

/** Data that the previous step has read, when the store had everything. */
type Read = {
  readonly resolved: ResolvedJob
  readonly tasks: readonly JobTask[]
  readonly cached: CachedMedia
  readonly stored: StoredBakes
}

/**
 * Stages plan and render; settles when the store has the file. The plan is written once, before any
 * task names it. A repeated step that finds tasks queued goes on with their plan, which nodes of its
 * engine finish.
 */
export async function render(
  context: ActivityContext,
  job: RenderJobInput,
  read?: Read,
): Promise<Next> {
  const { db, objects, queries } = context
  const state = await queries.enterStage({ ...job, stage: 'plan' })
  if (state === undefined || isFinal(state)) throw new FarmError('cancelled', 'The job has ended')
  const [{ project, limits, preview, place }, tasks, known] = await Promise.all([
    read?.resolved ?? resolveJob(context, job),
    read?.tasks ?? queries.listTasks(job),
    queries.listOffers(),
  ])
  const offers = offersFor(place, known)
  checkAnswers(tasks)
  const begun = begunRender(tasks)
  if (preview !== null && begun.tasks.length > 0) {
    return { wait: 'tasks', tasks: begun.tasks.map(startedTask), resume: 'settle' }
  }
  const begunPlan = begun.tasks.length > 0 ? await readPlan(context, job) : undefined
  const engine = begunPlan?.engine ?? engineVersion
  const inputs = await collectInputs(context, {
    ...{ job, project, tasks, engine, isPreview: preview !== null, found: read },
  })
  const { facts, keys, missing, warnings } = inputs
  if (missing.length > 0 && !(begunPlan && hasPictures(begunPlan, keys))) {
    if (read) await writeCachedMedia(context, { job, cached: read.cached })
    return await bakeMissing(context, { job, inputs, tasks, engine, resume: 'render' })
  }
  await addWarnings(db, { ...job, warnings })
  const tooLong = lengthFault(project, limits, facts)
  if (tooLong) throw toFailure([tooLong])
  if (preview !== null) {
    if (read) await writeCachedMedia(context, { job, cached: read.cached })
    return await startSheet(context, { job, project, preview, facts, keys, offers })
  }
  await topUp(context, { job, project, limits, facts })
  const plan = begunPlan ?? (await makePlan({ project, facts, offers }))
  const writePlan = () => objects.put(planKey(job), Buffer.from(JSON.stringify(plan)))
  const file = begunPlan ? undefined : await copyCachedOutput(context, { job, plan })
  if (file !== undefined) {
    await enterFinished(context, { job, plan })
    const settled = await settleAtOnce(context, { job, read: { tasks, plan, file } })
    if (settled === undefined) await writePlan()
    return settled ? { wait: 'nothing', settled } : { wait: 'tasks', tasks: [], resume: 'settle' }
  }
  if (read) await writeCachedMedia(context, { job, cached: read.cached })
  if (begunPlan === undefined) await writePlan()
  const planned = { job, plan, keys, begun, sizes: sizesOf(plan, offers) }
  const { requests, awaited } =
    project.type === 'image'
      ? { requests: [stillRequest(planned)], awaited: [] }
      : await shardRequests(context, {
          ...planned,
          slots: renderSlots(offers, { encoder: plan.encoder.encoder, canvas: plan.canvas }),
        })
  const started = await startTasks(context, job, requests)
  const whole = begun.whole || project.type === 'image' || requests.some(isWhole)
  const queued = { tasks: [...started.tasks, ...begunTasks(begun, requests)] }
  if (awaited.length === 0)
    return { wait: 'tasks', ...queued, resume: whole ? 'settle' : 'assemble' }
  return { wait: 'segments', ...queued, fingerprints: awaited, resume: 'render' }
}

function makePlan({
  project,
  facts,
  offers,
}: {
  project: ResolvedProject
  facts: Facts
  offers: readonly NodeOffer[]
}): Promise<Plan> {
  const encoder = chooseEncoder(offers, project.outputFormat)
  const kind = project.type === 'image' ? 'still' : 'render'
  const canvas = chooseCanvas(offers, { kind, encoder })
  return runSliced(planInSteps({ project, facts, encoder, canvas, sha256 }))
}

/** Answers whether every picture and sound of a plan has an object. */
function hasPictures(plan: Plan, keys: JobInputs['keys']): boolean {
  const isStill = plan.segments.length === 0
  const shown = isStill ? stillPixels(plan) : plan.segments.flatMap(({ pixels }) => pixels)
  return [...shown, ...assembleDigests(plan)].every((digest) => keys.has(digest))
}

/** Records a film whose file the store has: all frames are reused, and no task is left to do. */
async function enterFinished(
  { queries, metrics }: ActivityContext,
  { job, plan }: { job: RenderJobInput; plan: Plan },
): Promise<void> {
  const total = plan.timeline.frames
  if (plan.segments.length > 0) {
    await queries.enterStage({
      ...job,
      stage: 'plan',
      frames: { total, reused: total, painted: 0 },
      format: filmFormat(plan),
    })
    metrics.framesPlanned({ total, reused: total })
  }
  await queries.enterStage({ ...job, stage: 'assemble' })
}

/**
 * Settles in the same step. Undefined: it failed, and the settle step, which is retried for longer,
 * takes over.
 */
async function settleAtOnce(
  context: ActivityContext,
  { job, read }: { job: RenderJobInput; read: ReadBySettling },
): Promise<Settled | undefined> {
  try {
    return await settle(context, { ...job, end: { to: 'completed' } }, read)
  } catch (error) {
    context.log.warn({ err: error, jobId: job.jobId }, 'a stored file could not be settled at once')
    return undefined
  }
}

type Planned = {
  readonly job: RenderJobInput
  readonly plan: Plan
  readonly keys: JobInputs['keys']
  readonly begun: BegunRender
  readonly sizes: TaskRequirements
}

async function shardRequests(
  context: ActivityContext,
  { slots, ...planned }: Planned & { slots: number },
): Promise<{ requests: TaskRequest[]; awaited: readonly string[] }> {
  const { db, metrics, queries } = context
  const { job, plan, begun } = planned
  const digests = [...new Set(plan.segments.map(({ fingerprint }) => fingerprint))]
  const artifacts = await queries.getArtifacts({ ...job, kind: 'segment', digests })
  const stored = new Set(artifacts.keys())
  metrics.lookedUp('segment', { hits: stored.size, misses: digests.length - stored.size })
  const toRender = segmentsToRender(plan, { stored, begun: begun.segments })
  const fingerprints = toRender.map(({ fingerprint }) => fingerprint)
  const claimed = await claimSegments(db, { ...job, fingerprints })
  const missing = toRender.filter(({ fingerprint }) => claimed.has(fingerprint))
  const awaited = fingerprints.filter((fingerprint) => !claimed.has(fingerprint))
  const shards = groupShards(missing, { slots, ...(await measured(context, { plan, slots })) })
  const total = plan.timeline.frames
  const rendered = [...missing, ...[...begun.segments].flatMap((i) => plan.segments[i] ?? [])]
  const painted = rendered.reduce((sum, { pictures }) => sum + pictures, 0)
  const reused = total - framesOf(rendered)
  const frames = { total, reused, painted }
  const format = filmFormat(plan)
  await queries.enterStage({ ...job, stage: 'plan', frames, format, awaited })
  metrics.framesPlanned({ total, reused })
  const storedSound = await findSound(context, { job, plan })
  const hasSound = isSoundAhead(plan)
  if (hasSound) {
    metrics.lookedUp('sound', { hits: storedSound ? 1 : 0, misses: storedSound ? 0 : 1 })
  }
  // A film of one shard with no stored segments is assembled under the same lease.
  const isAllHere = new Set(missing.map(({ fingerprint }) => fingerprint)).size === digests.length
  if (shards.length === 1 && isAllHere) {
    const sound = storedSound ?? hasSound
    return {
      requests: [shardRequest(planned, { segments: missing, assemble: true, sound })],
      awaited,
    }
  }
  const isFirst = begun.tasks.length === 0
  const requests = shards.map((segments, at) => {
    const sound = isFirst && at === 0 && hasSound && storedSound === undefined
    return shardRequest(planned, { segments, assemble: false, sound })
  })
  return { requests, awaited }
}

/** Measures how fast the fleet does such work, and how many of its slots are free. */
async function measured(
  { db }: ActivityContext,
  { plan, slots }: { plan: Plan; slots: number },
): Promise<{ free: number; pace: number | undefined; frameCost: number }> {
  const { encoder, canvas } = plan
  const work = { encoder: encoder.encoder, canvas: canvas.backend, device: canvas.device }
  const { costPerSecond, running } = await measurePace(db, work)
  const frameCost = costOf(plan.timeline, 1, 0)
  const pace = costPerSecond === null ? undefined : costPerSecond / frameCost
  return { free: Math.max(0, slots - running), pace, frameCost }
}

/** Twice the largest cost that is always one shard: a second and a half of a core. */
const previewCostLeast = 2 * shardCostLeast

/**
 * Names a shard by its first segment: shards never overlap, so no two share a name. `sound`:
 * whether the shard encodes the film's sound, or the key of the encoded one.
 */
function shardRequest(
  { job, plan, keys, sizes }: Planned,
  {
    segments,
    assemble,
    sound = false,
  }: { segments: readonly Segment[]; assemble: boolean; sound?: boolean | string },
): TaskRequest {
  const isStored = typeof sound === 'string'
  const heard = isStored ? { ...plan, audio: [] } : plan
  const digests = new Set(segments.flatMap(({ pixels }) => pixels))
  if (assemble) for (const digest of assembleDigests(heard)) digests.add(digest)
  if (sound) for (const { digest } of heard.audio) digests.add(digest)
  const shown = assemble ? undefined : thumbnailSegment(plan)?.fingerprint
  const thumbnail = segments.some(({ fingerprint }) => fingerprint === shown)
  const indexes = segments.map(({ index }) => index)
  const frames = framesOf(segments)
  const cost = costOf(plan.timeline, encodedOf(segments))
  // A small film is finished before anyone has looked at its preview.
  const preview = !assemble || cost >= previewCostLeast
  return {
    name: `render-${indexes[0] ?? 0}`,
    kind: 'render',
    spec: {
      ...{ segments: indexes, assemble, preview, ...(thumbnail && { thumbnail }) },
      ...(isStored ? { soundStored: true } : sound && { sound: true }),
    },
    inputs: [
      { name: 'plan', key: planKey(job) },
      ...inputsOf(digests, keys),
      ...(isStored ? [{ name: 'sound', key: sound }] : []),
    ],
    outputs: [
      ...indexes.map((index) => `segment-${index}`),
      ...(preview ? ['preview'] : []),
      ...(assemble ? ['output'] : []),
      ...(assemble || thumbnail ? ['thumbnail'] : []),
      ...(sound === true ? ['sound'] : []),
    ],
    requirements: {
      engine: plan.engine,
      encoder: plan.encoder.encoder,
      ...canvasOf(plan),
      ...sizes,
      ...((assemble || sound) && soundEncoderOf(heard)),
    },
    cost,
    frames,
  }
}

function stillRequest({ job, plan, keys }: Planned): TaskRequest {
  return {
    name: 'still',
    kind: 'still',
    spec: {},
    inputs: [{ name: 'plan', key: planKey(job) }, ...inputsOf(stillPixels(plan), keys)],
    outputs: ['output', 'thumbnail'],
    requirements: { engine: plan.engine, ...canvasOf(plan) },
    cost: costOf(plan.timeline, 1),
    frames: 1,
  }
}

function isWhole(request: TaskRequest): boolean {
  return request.kind === 'render' && request.spec.assemble
}

function framesOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { frames }) => sum + frames, 0)
}

function encodedOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { encoded }) => sum + encoded, 0)
}

function begunTasks(begun: BegunRender, requests: readonly TaskRequest[]): StartedTasks['tasks'] {
  const requested = new Set<string>(requests.map(({ name }) => name))
  return begun.tasks.filter(({ name }) => !requested.has(name)).map(startedTask)
}
