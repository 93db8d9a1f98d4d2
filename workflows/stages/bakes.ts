import { engineVersion } from '../../core/engine.ts'
import { FarmError } from '../../core/errors.ts'
import type { BakeDocument } from '../../core/queue/tasks.ts'
import { animationTimes } from '../../core/timeline/animation-times.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import { documentsKey } from '../../store/objects/job-keys.ts'
import type { RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'
import { bakeDigest, inputsOf, type JobInputs, knownBake, type StoredBakes } from './job-inputs.ts'
import type { Next, ResumedStage } from './next.ts'
import { startTasks, type TaskRequest } from './start-tasks.ts'

/** Documents of one task: they share a page of the browser, and several nodes share a long list. */
const documentsPerTask = 60
/**
 * After its first few documents a page of the browser costs little. So eight tasks with one
 * document each fit one slot, and a node bakes those of an account in one page.
 */
const documentsPerSlot = 8
/** Frames' worth of work, for fairness between accounts. */
const bakeTaskCost = 5

/**
 * Splits documents into those that this version's engine painted before, by their `bakeDigest`, and
 * the missing ones, each once.
 */
export async function findBakes(
  { queries, metrics }: ActivityContext,
  { job, documents }: { job: RenderJobInput; documents: readonly BakeDocument[] },
): Promise<{ stored: StoredBakes; missing: readonly BakeDocument[] }> {
  const distinct = new Map(documents.map((each) => [bakeDigest(each, engineVersion), each]))
  const digests = [...distinct.keys()]
  const stored = await queries.getArtifacts({ ...job, kind: 'bake', digests })
  const missing = [...distinct].flatMap(([digest, each]) =>
    knownBake(stored.get(digest)) ? [] : [each],
  )
  metrics.lookedUp('bake', { hits: digests.length - missing.length, misses: missing.length })
  return { stored, missing }
}

/**
 * Requests the tasks that paint documents, by nodes of one engine. `keys`: the objects of pictures by
 * URL, by sha256.
 */
export async function bakeRequests(
  context: ActivityContext,
  {
    job,
    documents: missing,
    keys,
    engine = engineVersion,
  }: {
    job: RenderJobInput
    documents: readonly BakeDocument[]
    keys: JobInputs['keys']
    engine?: string
  },
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
  return Promise.all(
    batches.map((documents) => bakeRequest(context, { job, documents, keys, engine })),
  )
}

/**
 * Queues bakes that a later stage misses: another engine has painted them, or this version describes
 * them otherwise. The stage is repeated after them.
 *
 * Errors: FarmError `internal` when the job has had them painted already.
 */
export async function bakeMissing(
  context: ActivityContext,
  {
    job,
    inputs: { missing: documents, keys },
    tasks,
    engine,
    resume,
  }: {
    job: RenderJobInput
    inputs: Pick<JobInputs, 'missing' | 'keys'>
    tasks: readonly JobTask[]
    engine: string
    resume: ResumedStage
  },
): Promise<Next> {
  const requests = await bakeRequests(context, { job, documents, keys, engine })
  const ended = new Set(tasks.flatMap(({ name, outcome }) => (outcome ? [name] : [])))
  if (requests.some(({ name }) => ended.has(name))) {
    const field = documents[0]?.field ?? ''
    throw new FarmError('internal', 'A painted element is missing from the store', { field })
  }
  return { wait: 'tasks', ...(await startTasks(context, job, requests)), resume }
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): [T[], T[]] {
  return [all.filter(test), all.filter((one) => !test(one))]
}

const paintedFrames = ({ code }: BakeDocument) => (code ? animationTimes(code).length : 1)

/** Names the task by its engine and documents: a repeated step never changes them. */
async function bakeRequest(
  { objects }: ActivityContext,
  {
    job,
    documents,
    keys,
    engine,
  }: {
    job: RenderJobInput
    documents: readonly BakeDocument[]
    keys: JobInputs['keys']
    engine: string
  },
): Promise<TaskRequest> {
  const text = JSON.stringify(documents)
  const key = documentsKey(job, sha256(text))
  await objects.put(key, Buffer.from(text))
  return {
    name: `bake-${sha256(`${engine}\n${text}`).slice(0, 16)}`,
    kind: 'bake',
    spec: { count: documents.length },
    inputs: [{ name: 'documents', key }, ...inputsOf(picturesOf(documents), keys)],
    outputs: documents.map((_, index) => `bake-${index}`),
    requirements: {
      engine,
      slots: documents.some(({ code }) => code) ? 1 : slotsOf(documents.length),
    },
    cost: documents.reduce((sum, document) => sum + paintedFrames(document), bakeTaskCost),
  }
}

const picturesOf = (documents: readonly BakeDocument[]) =>
  new Set(documents.flatMap(({ pictures = [] }) => pictures.map(({ digest }) => digest)))

function slotsOf(documents: number): number {
  return Math.min(1, documents / documentsPerSlot)
}
