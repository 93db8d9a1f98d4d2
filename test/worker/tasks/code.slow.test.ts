import { createHash } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { Value } from 'typebox/value'
import { plans } from '../../../core/accounts/plans.ts'
import { makePlan } from '../../../core/plan/make-plan.ts'
import { bakeNeeds } from '../../../core/plan/needs.ts'
import { BakeResult } from '../../../core/queue/tasks.ts'
import { bakeKeyText } from '../../../core/visuals/painted/bake-document.ts'
import { resolved } from '../../core/project/outcome.ts'
import { nodeOf, objectsOf, runOn } from './node-of.ts'

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

const moves = {
  css: '@keyframes go { to { margin-left: 200px } } .x { animation: go {{ seconds }}s linear both }',
  js: 'const x = document.querySelector(".x"); x.textContent = "{{ name }}"; requestAnimationFrame(function f(t) { x.style.height = 20 + t / 100 + "px"; requestAnimationFrame(f) })',
  animationDuration: '{{ seconds }}',
}
const bar = {
  type: 'TEXT',
  html: '<div class="x" style="width:60px;font-size:16px;background:#fff"></div>',
  customCode: moves,
}
const ring = {
  type: 'SVG',
  svg: '<svg width="40" height="40"><circle class="c" cx="20" cy="20" r="20" fill="#f00"/></svg>',
  ...{ y: 70, angle: 30, enterBegin: 0.5, filter: { blur: 4 } },
  customCode: { css: '.c { animation: p 2s both } @keyframes p { to { r: 5px } }' },
}

/** A node with the baked elements of a project. */
async function bakedOn(t: ExecutionContext, payload: object) {
  const objects = await objectsOf(t)
  const node = await nodeOf(t)
  const { project } = resolved(payload, {}, plans.studio)
  const documents = bakeNeeds(project)
  objects.objects.set('documents', Buffer.from(JSON.stringify(documents)))
  const { outcome } = await runOn(node, objects, {
    kind: 'bake',
    spec: { count: documents.length },
    outputs: documents.map((_, i) => `bake-${i}`),
  })
  if (!outcome.done) throw new Error(JSON.stringify(outcome))
  const { bakes } = Value.Parse(BakeResult, outcome.result)
  for (const i of bakes.keys()) objects.add(objects.objects.get(`bake-${i}`) ?? Buffer.alloc(0))
  const byKey = new Map(bakes.map((bake, i) => [bakeKeyText(documents[i] as never), bake]))
  const facts = { media: new Map(), bakes: byKey }
  const canvas = { backend: 'napi', device: 'CPU' } as const
  const plan = makePlan({ project, facts, encoder: 'libx264', canvas, sha256 })
  objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
  return { objects, node, plan }
}

test('moving elements are the same in one shard and in many', async (t) => {
  const payload = {
    ...{ width: 320, height: 120, frameRate: 20, duration: 8, backgroundColor: '#000' },
    variables: { seconds: 3, name: 'Ada' },
    visuals: [bar],
    scenes: [{ duration: 8, visuals: [ring] }],
  }
  const alone = await bakedOn(t, payload)
  const { segments } = alone.plan
  t.true(segments.length >= 3)
  t.true(
    segments.some(({ start }) => start === 60),
    'a segment begins where the bar stands still',
  )
  const outputs = segments.map(({ index }) => `segment-${index}`)
  const all = segments.map(({ index }) => index)
  const spec = { segments: all, assemble: false }
  const whole = await runOn(alone.node, alone.objects, { kind: 'render', spec, outputs })
  t.true(whole.outcome.done, JSON.stringify(whole.outcome))

  const other = await bakedOn(t, payload)
  t.deepEqual(other.plan, alone.plan)
  for (const index of all.toReversed()) {
    const spec = { segments: [index], assemble: false }
    const name = `segment-${index}`
    const part = await runOn(other.node, other.objects, { kind: 'render', spec, outputs: [name] })
    t.true(part.outcome.done, JSON.stringify(part.outcome))
    const bytes = other.objects.objects.get(name)
    t.true(bytes !== undefined && alone.objects.objects.get(name)?.equals(bytes), name)
  }
})

test('a still shows the moment that it is taken at', async (t) => {
  const { objects, node } = await bakedOn(t, {
    ...{ type: 'image', width: 320, height: 120, outputFormat: 'png', backgroundColor: '#000000' },
    snapshotTime: 1.5,
    variables: { seconds: 3, name: '' },
    visuals: [bar],
  })
  const outputs = ['output', 'thumbnail']
  const { outcome } = await runOn(node, objects, { kind: 'still', spec: {}, outputs })
  t.true(outcome.done, JSON.stringify(outcome))
  const { data } = await sharp(objects.objects.get('output')).raw().toBuffer({
    resolveWithObject: true,
  })
  const lit = (x: number, y: number) => (data[(y * 320 + x) * 3] ?? 0) > 128
  // After half of its 3 s the bar has gone 100 of 200 px and grown by 15.
  t.deepEqual([lit(98, 5), lit(102, 5), lit(158, 5), lit(162, 5)], [false, true, true, false])
  t.deepEqual([lit(130, 33), lit(130, 37)], [true, false])
})
