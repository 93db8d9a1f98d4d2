import { type Draft, planOfDraft } from '../../core/plan/draft.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { OutputFacts, SinglePassResult, SinglePassSpec } from '../../core/queue/tasks.ts'
import { allEnded } from '../../runtime/all-ended.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { TaskContext } from '../context.ts'
import { scratchOf } from '../files/scratch.ts'
import { paint, uploadBaked } from './bake.ts'
import { checkEngine } from './read-plan.ts'
import { makeFilm } from './render.ts'
import { makeStill, uploadStill } from './still.ts'
import { createStopwatch, type Stopwatch, timesOf } from './stopwatch.ts'

/** Makes a small film or a still in one pass, from unpainted elements to the file. */
export async function singlePass(
  spec: SinglePassSpec,
  task: TaskContext,
): Promise<SinglePassResult> {
  const watch = createStopwatch(task.span)
  const draft: Draft = JSON.parse(spec.draft ?? (await readDraft(task)))
  checkEngine(draft)
  const baked = await watch.time('bake', () => paint(draft.documents, task))
  const bakes = baked.map(({ facts }) => facts)
  const plan = planOfDraft(draft, { baked: bakes, sha256 })
  const painting = { ...task, painted: new Map(baked.map(({ png, facts }) => [facts.digest, png])) }
  const [output] = await allEnded([
    draft.project.type === 'image'
      ? renderStill({ plan, watch }, painting)
      : scratchOf(task).then(() => makeFilm({ plan, watch }, painting)),
    watch.part('upload', () => uploadBaked(baked, task)),
  ])
  return { bakes, output, ...timesOf(watch) }
}

/** Makes a still in a lane, and uploads it outside. A film's segments take a lane each. */
async function renderStill(
  work: { plan: Plan; watch: Stopwatch },
  task: TaskContext,
): Promise<OutputFacts> {
  const made = await task.node.lanes.run(task, () => makeStill(work, task))
  await work.watch.part('upload', () => uploadStill(made, task))
  return made.facts
}

async function readDraft(task: TaskContext): Promise<string> {
  const object = { 'farm.object': 'draft' }
  return String(await task.span.part('download', () => task.read('draft'), object))
}
