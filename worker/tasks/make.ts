import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Draft, planOfDraft } from '../../core/plan/draft.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { MakeResult, MakeSpec, OutputFacts } from '../../core/tasks.ts'
import type { TaskContext } from '../context.ts'
import { allEnded } from './all-ended.ts'
import { type Baked, keepBaked, paint, uploadBaked } from './bake.ts'
import { checkEngine } from './read-plan.ts'
import { makeFilm } from './render.ts'
import { makeStill, uploadStill } from './still.ts'
import { createStopwatch, type Stopwatch } from './stopwatch.ts'

/** A small film or a still, from the elements that nobody has painted yet to the file. */
export async function make(_: MakeSpec, task: TaskContext): Promise<MakeResult> {
  const watch = createStopwatch(task.span)
  const draft = await readDraft(task)
  const baked = await watch.time('bake', () => paint(draft.documents, task))
  const bakes = baked.map(({ facts }) => facts)
  const plan = planOfDraft(draft, { baked: bakes, sha256 })
  await keepBaked(baked, task)
  const painting = holding(baked, task)
  const [output] = await allEnded([
    draft.project.type === 'image'
      ? makeOneStill({ plan, watch }, painting)
      : makeFilm({ plan, watch }, painting),
    watch.part('upload', () => uploadBaked(baked, task)),
  ])
  return { bakes, output, seconds: watch.seconds() }
}

/** In a lane, but for its upload. A film's segments take a lane each. */
async function makeOneStill(
  work: { plan: Plan; watch: Stopwatch },
  task: TaskContext,
): Promise<OutputFacts> {
  const made = await task.node.lanes.run(task, () => makeStill(work, task))
  await work.watch.part('upload', () => uploadStill(made, task))
  return made.facts
}

async function readDraft(task: TaskContext): Promise<Draft> {
  const file = join(task.dir, 'draft')
  await task.span.part('download', () => task.get('draft', file), { 'farm.object': 'draft' })
  const draft: Draft = JSON.parse(await readFile(file, 'utf8'))
  checkEngine(draft)
  return draft
}

/** What was painted here is not in the lease; the node's cache has it, unless it is full of other things. */
function holding(baked: readonly Baked[], task: TaskContext): TaskContext {
  const pngs = new Map(baked.map(({ png, facts }) => [facts.digest, png]))
  return {
    ...task,
    async get(name, to) {
      const png = pngs.get(name)
      await (png ? writeFile(to, png) : task.get(name, to))
    },
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
