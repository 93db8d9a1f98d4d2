import { createHash } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { engineVersion } from '../../../core/engine.ts'
import { type Draft, planOfDraft } from '../../../core/plan/draft.ts'
import { bakeNeeds } from '../../../core/plan/needs.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import type { SinglePassResult } from '../../../core/queue/tasks.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { bakeKeyText } from '../../../core/visuals/painted/bake-document.ts'
import { imageOf, imageSrc, projectOf, textOf } from '../../core/project-of.ts'
import { nodeOf, type Objects, objectsOf, runOn } from './node-of.ts'

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const size = { width: 160, height: 90 }
const still = { ...size, type: 'image', frameRate: 1, outputFormat: 'png' } as const
const film = { ...size, frameRate: 10, duration: 2 }
const visuals = [
  imageOf({ x: 10, y: 10, width: 80, height: 40 }),
  textOf({ html: '<b>Made at once</b>' }),
]

/** A draft that lacks every element but the photograph. */
async function draftOf(
  objects: Objects,
  { engine = engineVersion, ...changes }: Partial<ResolvedProject> & { engine?: string },
): Promise<Draft> {
  const photo = sharp({ create: { width: 40, height: 20, channels: 3, background: '#20a040' } })
  const digest = objects.add(await photo.png().toBuffer())
  const facts = { kind: 'image', format: 'png', width: 40, height: 20, hasAlpha: false } as const
  const project = projectOf({ visuals, ...changes })
  return {
    ...{ engine, project, documents: bakeNeeds(project), bakes: [] },
    media: [[mediaKey({ expect: 'image', url: imageSrc }), { digest, facts }]],
    ...{ encoder: 'libx264', canvas: { backend: 'napi', device: 'CPU' } },
  }
}

/** `isLong`: the draft is an object of its own. */
async function makeIt(
  t: ExecutionContext,
  objects: Objects,
  { draft, isLong = false }: { draft: Draft; isLong?: boolean },
) {
  const bakes = draft.documents.map((document) => sha256(bakeKeyText(document)))
  const text = JSON.stringify(draft)
  if (isLong) objects.objects.set('draft', Buffer.from(text))
  return await runOn(await nodeOf(t), objects, {
    kind: 'make',
    spec: { bakes, encoder: 'libx264', ...(!isLong && { draft: text }) },
    outputs: [...bakes.map((_, i) => `bake-${i}`), 'output', 'thumbnail', 'log'],
    prefix: 'made-',
  })
}

for (const [name, project, isLong] of [
  ['a still', still, false],
  ['a small film', film, true],
] as const) {
  test(`${name} made by one task has the bytes of separate tasks`, async (t) => {
    const objects = await objectsOf(t)
    const draft = await draftOf(objects, project)
    const { outcome, frames } = await makeIt(t, objects, { draft, isLong })
    if (!outcome.done) return t.fail(JSON.stringify(outcome))
    const { bakes, output } = outcome.result as SinglePassResult
    t.deepEqual(
      bakes.map(({ digest }) => digest),
      [sha256(objects.objects.get('made-bake-0') ?? '')],
    )

    const plan = planOfDraft(draft, { baked: bakes, sha256 })
    t.is(frames, plan.timeline.frames)
    objects.add(objects.objects.get('made-bake-0') ?? Buffer.alloc(0))
    objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
    const segments = plan.segments.map(({ index }) => index)
    const alone = await runOn(await nodeOf(t), objects, {
      ...(segments.length > 0
        ? { kind: 'render', spec: { segments, assemble: true } }
        : { kind: 'still', spec: {} }),
      outputs: [...segments.map((index) => `segment-${index}`), 'output', 'thumbnail'],
    })
    t.true(alone.outcome.done, JSON.stringify(alone.outcome))
    for (const file of ['output', 'thumbnail']) {
      t.deepEqual(objects.objects.get(`made-${file}`), objects.objects.get(file), file)
    }
    t.is(objects.objects.get('output')?.length, output.bytes)
  })
}

test('a single-pass film stores no segments and renders equal ones once', async (t) => {
  const objects = await objectsOf(t)
  const scene = (html: string) => textOf({ html, enterBegin: 0, exitEnd: 6 })
  const draft = await draftOf(objects, { ...film, duration: 6, visuals: [scene('<i>Still</i>')] })
  const { outcome } = await makeIt(t, objects, { draft })
  t.true(outcome.done, JSON.stringify(outcome))
  const made = [...objects.objects.keys()].filter((name) => name.startsWith('made-'))
  t.deepEqual(made.toSorted(), ['made-bake-0', 'made-output', 'made-thumbnail'], 'and no log')
})

test('an excessive element ends the task with its field', async (t) => {
  const objects = await objectsOf(t)
  const wide = textOf({ html: '<p>wide</p>', style: { width: '90000px' } })
  const draft = await draftOf(objects, { ...still, visuals: [wide] })
  const { outcome } = await makeIt(t, objects, { draft })
  t.like(outcome, { done: false, code: 'element_invalid', field: 'visuals[1]' })
  t.regex(String(objects.objects.get('made-log')), /"msg":"task failed"/)
  t.false(objects.objects.has('made-output'))
})

test('a draft of another farm version is left to that version’s nodes', async (t) => {
  const objects = await objectsOf(t)
  const draft = await draftOf(objects, { ...still, engine: '0' })
  const { outcome } = await makeIt(t, objects, { draft })
  t.like(outcome, { done: false, code: 'unavailable' })
})
