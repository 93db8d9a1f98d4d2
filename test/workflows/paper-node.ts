import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { engineVersion } from '../../core/engine.ts'
import { type Draft, planOfDraft } from '../../core/plan/draft.ts'
import type { CanvasSettings, Plan } from '../../core/plan/plan.ts'
import type {
  BakeDocument,
  BakeWarning,
  OutputFacts,
  RenderSpec,
  SheetSpec,
  SinglePassSpec,
  TaskKind,
} from '../../core/queue/tasks.ts'
import type { Db } from '../../store/db/database.ts'
import { registerNode } from '../../store/db/fleet/register-node.ts'
import { failTask } from '../../store/db/queue/fail-task.ts'
import { leaseTasks } from '../../store/db/queue/lease-tasks.ts'
import { renewLeases } from '../../store/db/queue/renew-leases.ts'
import type { LeasedTask } from '../../store/db/queue/take-tasks.ts'
import { taskOutputKey } from '../../store/objects/keys.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { completeTask } from '../store/database.ts'

/** Behaviour that a test may demand of a node. */
export type Answer = (task: LeasedTask) => 'answer' | 'hold' | { readonly error: string } | Rogue
type Rogue = { readonly result: Record<string, unknown> }

export type PaperNode = {
  /** Tasks that it has done. */
  readonly done: readonly LeasedTask[]
  stop(): Promise<void>
}

const cpu: CanvasSettings = { backend: 'napi', device: 'CPU' }
const encoders = ['libx264', 'libvpx-vp9', 'mpeg4', 'aac', 'libopus', 'libmp3lame']
const leaseMs = 60_000
const idleMs = 10

/**
 * A node without a wire and without a canvas: it leases through the scheduler's own statements. It
 * writes short texts in place of pictures and films, at the keys and in the shapes of a real one.
 */
export async function startPaperNode({
  db,
  objects,
  slots = 1,
  canvas = cpu,
  kinds = ['ingest', 'bake', 'render', 'assemble', 'still', 'sheet'],
  version = engineVersion,
  answer = () => 'answer',
}: {
  db: Db
  objects: ObjectStore
  slots?: number
  canvas?: CanvasSettings
  kinds?: readonly TaskKind[]
  /** Version of its engine. */
  version?: string
  answer?: Answer
}): Promise<PaperNode> {
  const id = randomUUID()
  const painting = { encoders, canvas: canvas.backend, device: canvas.device }
  const offer = { kinds, slots, ...painting, pool: '', tags: [] }
  await registerNode(db, { id, name: 'paper', version, offer })
  const done: LeasedTask[] = []
  let stopped = false
  const ended = work()
  return {
    done,
    async stop() {
      stopped = true
      await ended
    },
  }

  async function work(): Promise<void> {
    while (!stopped) {
      const tasks = await leaseTasks(db, {
        wants: [{ nodeId: id, slots: 10 }],
        leaseMs,
        nodeLiveMs: 30_000,
      })
      for (const task of tasks) await doTask(task)
      if (tasks.length === 0) await sleep(idleMs)
    }
  }

  async function doTask(task: LeasedTask): Promise<void> {
    const attempt = { nodeId: id, taskId: task.id, attempt: task.attempt }
    const how = answer(task)
    if (how === 'hold') {
      const held = [{ taskId: task.id, attempt: task.attempt, framesDone: 7, previews: 0 }]
      await renewLeases(db, { renewals: [{ nodeId: id, held }], leaseMs })
    } else if (how === 'answer') {
      const result = await answers[task.kind](task, objects)
      done.push(task)
      await completeTask(db, { ...attempt, result })
    } else if ('result' in how) {
      await completeTask(db, { ...attempt, result: how.result })
    } else {
      const failure = {
        code: 'media_invalid',
        message: how.error,
        field: 'visuals[0].src',
        logTail: '',
      }
      await failTask(db, { ...attempt, failure: { ...failure, code: 'media_invalid' } })
    }
  }
}

/** Runs a paper node that leaves no trace of itself. */
export async function withPaperNode<T>(
  { db, objects }: { db: Db; objects: ObjectStore },
  { slots = 1, answer }: { slots?: number; answer?: Answer },
  work: (node: PaperNode) => Promise<T>,
): Promise<T> {
  const node = await startPaperNode({ db, objects, slots, ...(answer && { answer }) })
  try {
    return await work(node)
  } finally {
    await node.stop()
    await db.deleteFrom('nodes').execute()
    // Removes its measured speed, which would affect the shards of the next test's film.
    await db.deleteFrom('attempts').execute()
  }
}

/** Puts each part beside the one before it. */
function partsOf({ markup }: BakeDocument) {
  return [...markup.matchAll(/class="part"/g)].map((_, i) => [
    [10 * i, 0, 10, 10] as [number, number, number, number],
  ])
}

/** Warns of each property, as a real node does when it has no effect. */
function told({ style }: BakeDocument): BakeWarning[] {
  return Object.keys(style).map((property) => {
    return { code: 'style_ignored', property, message: `${property} has no effect` }
  })
}

const tenSeconds = { frameRate: [10, 1], frames: 100, hasAlpha: false, hasAudio: false }

type Maker = (task: LeasedTask, objects: ObjectStore) => Promise<Record<string, unknown>>

const answers: Record<LeasedTask['kind'], Maker> = {
  async ingest(task, objects) {
    const media = Buffer.from(String(task.spec.url))
    const digest = sha256(media)
    const freshSeconds = String(task.spec.url).includes('fresh') ? 3600 : 0
    const known = task.spec.known as { digest: string } | undefined
    if (known?.digest === digest) return { digest, bytes: 0, freshSeconds }
    await put(objects, task, 'media', media)
    const facts =
      task.spec.expect === 'image'
        ? { kind: 'image', format: 'png', width: 40, height: 20, hasAlpha: false }
        : task.spec.expect === 'subtitle'
          ? { kind: 'subtitle', format: 'srt', captions: [{ start: 0, end: 9, text: 'A line' }] }
          : task.spec.expect === 'video'
            ? { kind: 'video', format: 'mp4', width: 40, height: 20, ...tenSeconds }
            : { kind: 'audio', format: 'mp3', duration: 3, sampleRate: 44_100, channels: 2 }
    return { digest, bytes: media.length, facts, freshSeconds }
  },
  async bake(task, objects) {
    return {
      bakes: await bakesOf(JSON.parse(await input(task, objects, 'documents')), task, objects),
    }
  },
  async render(task, objects) {
    const plan = await planIn(task, objects)
    const spec = task.spec as RenderSpec
    if (spec.preview) await put(objects, task, 'preview', Buffer.from('preview'))
    const segments = await Promise.all(
      spec.segments.map(async (index) => {
        const bytes = Buffer.from(plan.segments[index]?.fingerprint ?? '')
        await put(objects, task, `segment-${index}`, bytes)
        return { index, bytes: bytes.length, frames: plan.segments[index]?.frames ?? 0 }
      }),
    )
    if (spec.sound) await put(objects, task, 'sound', Buffer.from('sound'))
    const sound = spec.sound ? { soundBytes: 'sound'.length } : {}
    const { thumbnail = false } = spec
    if (thumbnail) await put(objects, task, 'thumbnail', Buffer.from('thumbnail'))
    const output = spec.assemble ? { output: await film(plan, task, objects) } : {}
    return { segments, seconds: {}, thumbnail, ...sound, ...output }
  },
  async assemble(task, objects) {
    return { output: await film(await planIn(task, objects), task, objects), seconds: {} }
  },
  async still(task, objects) {
    return { output: await film(await planIn(task, objects), task, objects), seconds: {} }
  },
  async make(task, objects) {
    const { draft: text } = task.spec as SinglePassSpec
    const draft: Draft = JSON.parse(text ?? (await input(task, objects, 'draft')))
    const bakes = await bakesOf(draft.documents, task, objects)
    const plan = planOfDraft(draft, { baked: bakes, sha256 })
    return { bakes, output: await film(plan, task, objects), seconds: {} }
  },
  async sheet(task, objects) {
    const { moments, frame } = task.spec as SheetSpec
    const jpeg = Buffer.from('a sheet')
    await put(objects, task, 'sheet', jpeg)
    const places = moments.map(() => ({ x: 0, y: 0 }))
    return { sheet: { bytes: jpeg.length, ...frame, quality: 80, frame, places }, seconds: {} }
  },
}

async function planIn(task: LeasedTask, objects: ObjectStore): Promise<Plan> {
  return JSON.parse(await input(task, objects, 'plan'))
}

async function bakesOf(documents: readonly BakeDocument[], task: LeasedTask, objects: ObjectStore) {
  return await Promise.all(
    documents.map(async (document, index) => {
      const picture = Buffer.from(document.markup)
      await put(objects, task, `bake-${index}`, picture)
      return {
        digest: sha256(picture),
        bytes: picture.length,
        ...{ width: 30, height: 10, inkX: 0, inkY: 0, inkWidth: 30, inkHeight: 10 },
        ...(document.parts && { parts: partsOf(document) }),
        warnings: told(document),
      }
    }),
  )
}

/** The film of a paper node: its inputs, one line each. */
async function film(
  { timeline, segments }: Plan,
  task: LeasedTask,
  objects: ObjectStore,
): Promise<OutputFacts> {
  const text = segments.map(({ fingerprint }) => fingerprint).join('\n') || 'a still'
  const thumbnail = Buffer.from('thumbnail')
  await put(objects, task, 'output', Buffer.from(text))
  await put(objects, task, 'thumbnail', thumbnail)
  const { frames, frameRate, width, height } = timeline
  const duration = segments.length === 0 ? 0 : frames / frameRate
  return { bytes: text.length, duration, frames, width, height }
}

async function input(task: LeasedTask, objects: ObjectStore, name: string): Promise<string> {
  const found = task.inputs.find((each) => each.name === name)
  if (!found) throw new Error(`Task ${task.kind} must have the input ${name}`)
  return String(await objects.read(found.key))
}

async function put(objects: ObjectStore, task: LeasedTask, name: string, bytes: Buffer) {
  if (!task.outputs.includes(name)) throw new Error(`${task.kind} may not write ${name}`)
  const { accountId, id: taskId, attempt } = task
  await objects.put(taskOutputKey({ accountId, taskId, attempt, name }), bytes)
}

function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}
