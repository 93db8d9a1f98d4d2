import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { captionWarnings } from '../../core/captions/documents.ts'
import { FarmError } from '../../core/errors.ts'
import { stretchWarnings } from '../../core/looks/stretched.ts'
import { mediaWarnings } from '../../core/plan/media-warnings.ts'
import { bakeNeeds } from '../../core/plan/needs.ts'
import { maxWarnings, type Warning } from '../../core/project/lint/warning.ts'
import type { ResolvedProject } from '../../core/project/resolved.ts'
import { BakeDocument, BakeFacts } from '../../core/queue/tasks.ts'
import type { Facts } from '../../core/timeline/facts.ts'
import { bakeKeyText } from '../../core/visuals/painted/bake-document.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { Artifact } from '../../store/db/artifacts/get-artifacts.ts'
import type { TaskInput } from '../../store/db/fleet-schema.ts'
import type { JobTask } from '../../store/db/queue/list-tasks-of-jobs.ts'
import type { RenderJobInput } from '../contract.ts'
import type { ActivityContext } from './context.ts'
import { type CachedMedia, mediaOf, recordMedia } from './media.ts'
import { badAnswer, type Finished, finishedTasks, outputKey } from './outcomes.ts'

/**
 * Facts about a job's media and bakes, the keys of their objects by sha256, and the warnings for
 * the customer about painted elements. `missing`: documents that the engine has not painted yet.
 */
export type JobInputs = {
  readonly facts: Facts
  readonly missing: readonly BakeDocument[]
  readonly keys: ReadonlyMap<string, string>
  readonly warnings: readonly Warning[]
}

/** Stored pictures of elements, by their `bakeDigest`. */
export type StoredBakes = ReadonlyMap<string, Artifact>

/** Storage key of a document's picture as one version of the engine paints it, sha256 in hex. */
export function bakeDigest(document: BakeDocument, engine: string): string {
  return sha256(bakeKeyText(document, engine))
}

/**
 * Reads the results of the ingest and bake tasks, and records new objects as artifacts. `engine`:
 * version of the engine that paints the job. `found`: objects that the same step found in the
 * store, without a task.
 */
export async function collectInputs(
  context: ActivityContext,
  {
    job,
    project,
    tasks,
    engine,
    isPreview = false,
    found,
  }: {
    job: RenderJobInput
    project: ResolvedProject
    tasks: readonly JobTask[]
    engine: string
    isPreview?: boolean
    found?: { readonly cached: CachedMedia; readonly stored: StoredBakes } | undefined
  },
): Promise<JobInputs> {
  const media = await mediaOf(context, { job, tasks, ...(found && { cached: found.cached }) })
  const keys = new Map([
    ...keysInTasks(tasks),
    ...[...media.values()].map(({ digest, objectKey }) => [digest, objectKey] as const),
  ])
  await recordMedia(context, { job, tasks, media, isPreview })
  await recordBakes(context, { job, tasks })
  const documents = bakeNeeds(project, media)
  const { bakes, missing } = await collectBakes(context, {
    ...{ job, documents, engine, keys, stored: found?.stored },
  })
  const warnings = factWarnings(project, { documents, media, bakes })
  return { facts: { media, bakes }, missing, keys, warnings }
}

const isDigest = (name: string) => /^[0-9a-f]{64}$/.test(name)

/**
 * Objects that the job's tasks read or painted, by sha256: those that a begun plan names, however this
 * version would describe them.
 */
function keysInTasks(tasks: readonly JobTask[]): (readonly [string, string])[] {
  const read = tasks.flatMap(({ inputs }) => inputs.filter(({ name }) => isDigest(name)))
  const painted = finishedTasks(tasks, 'bake').flatMap((task) =>
    task.result.bakes.map(
      ({ digest }, index) => [digest, outputKey(task, `bake-${index}`)] as const,
    ),
  )
  return [...read.map(({ name, key }) => [name, key] as const), ...painted]
}

/** One for each picture, named by its digest. */
export function inputsOf(digests: Iterable<string>, keys: JobInputs['keys']): TaskInput[] {
  return [...digests].map((digest) => {
    const key = keys.get(digest)
    if (key === undefined) throw new FarmError('internal', 'A picture of the plan has no object')
    return { name: digest, key }
  })
}

/** Warnings for the customer about the media and the painted elements of a project. */
export function factWarnings(
  project: ResolvedProject,
  { documents, media, bakes }: Facts & { readonly documents: readonly BakeDocument[] },
): Warning[] {
  return [
    ...mediaWarnings(project, media),
    ...captionWarnings(project, media),
    ...stretchWarnings(project, { media }),
    ...bakeWarnings(documents, bakes),
  ].slice(0, maxWarnings)
}

/**
 * Warns about each element with a faulty picture, also when an earlier job painted it. Missing
 * characters of captions are reported once for all of them (core/captions/documents.ts).
 */
function bakeWarnings(documents: readonly BakeDocument[], bakes: Facts['bakes']): Warning[] {
  const distinct = new Map<string, Warning>()
  for (const document of documents) {
    for (const { code, property, message } of bakes.get(bakeKeyText(document))?.warnings ?? []) {
      if (code === 'missing_glyph' && document.kind === 'html' && document.rows) continue
      const field = property === undefined ? document.field : `${document.field}.style.${property}`
      // Clones of a scene have one place in the request.
      distinct.set(`${field} ${code} ${message}`, { field, code, message })
    }
  }
  return [...distinct.values()]
}

/**
 * Records the bakes of bake tasks, and of a task that made the whole job, under the engine of the
 * nodes that painted them. A bake task that names no engine is left out, as any may have painted it.
 */
export async function recordBakes(
  context: ActivityContext,
  { job, tasks }: { job: RenderJobInput; tasks: readonly JobTask[] },
): Promise<void> {
  const { objects } = context
  for (const task of finishedTasks(tasks, 'bake')) {
    const { engine } = task.requirements
    if (engine === undefined) continue
    const documents = task.inputs.find(({ name }) => name === 'documents')
    const list: unknown = documents && JSON.parse(String(await objects.read(documents.key)))
    if (!Value.Check(Type.Array(BakeDocument), list)) throw badAnswer(task.name)
    const digests = list.map((document) => bakeDigest(document, engine))
    await recordBaked(context, { job, task, digests })
  }
  for (const task of finishedTasks(tasks, 'make')) {
    await recordBaked(context, { job, task, digests: task.spec.bakes })
  }
}

/** Records the bakes of one task. `digests`: the keys of its bakes. */
async function recordBaked(
  { queries }: ActivityContext,
  {
    job: { accountId },
    task,
    digests,
  }: { job: RenderJobInput; task: Finished<'bake' | 'make'>; digests: readonly string[] },
): Promise<void> {
  const { bakes } = task.result
  if (bakes.length !== digests.length) throw badAnswer(task.name)
  const artifacts = bakes.map((facts, index) => {
    const digest = digests[index]
    if (digest === undefined) throw badAnswer(task.name)
    const { bytes } = facts
    return { digest, objectKey: outputKey(task, `bake-${index}`), bytes, facts }
  })
  await Promise.all(
    artifacts.map((artifact) => queries.putArtifact({ accountId, kind: 'bake', ...artifact })),
  )
}

/** Returns undefined when it was never painted, or does not match this version's schema. */
export function knownBake(
  artifact: Artifact | undefined,
): { readonly facts: BakeFacts; readonly objectKey: string } | undefined {
  if (!artifact || !Value.Check(BakeFacts, artifact.facts)) return undefined
  return { facts: artifact.facts, objectKey: artifact.objectKey }
}

async function collectBakes(
  { queries }: ActivityContext,
  {
    job,
    documents,
    engine,
    keys,
    stored: found,
  }: {
    job: RenderJobInput
    documents: readonly BakeDocument[]
    engine: string
    keys: Map<string, string>
    stored: StoredBakes | undefined
  },
): Promise<Pick<Facts, 'bakes'> & Pick<JobInputs, 'missing'>> {
  const digests = documents.map((document) => bakeDigest(document, engine))
  const stored = found ?? (await queries.getArtifacts({ ...job, kind: 'bake', digests }))
  const bakes = new Map<string, BakeFacts>()
  const missing = new Map<string, BakeDocument>()
  for (const [index, document] of documents.entries()) {
    const known = knownBake(stored.get(digests[index] ?? ''))
    const text = bakeKeyText(document)
    if (known === undefined) {
      missing.set(text, document)
      continue
    }
    bakes.set(text, known.facts)
    keys.set(known.facts.digest, known.objectKey)
  }
  return { bakes, missing: [...missing.values()] }
}
