import { createHash } from 'node:crypto'
import test from 'ava'
import sharp from 'sharp'
import { makePlan } from '../../../core/plan/make-plan.ts'
import { projectOf, sceneOf } from '../../core/project-of.ts'
import { nodeOf, objectsOf, runOn } from './node-of.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Two scenes with a hard cut, each one segment and one colour. */
const project = projectOf({
  width: 640,
  height: 360,
  scenes: ['#c02040', '#2040c0'].map((backgroundColor, n) =>
    sceneOf({ field: `scenes[${n}]`, id: `scene-${n}`, duration: 1.5, backgroundColor }),
  ),
})

test('a node shows its last finished segment’s last frame, small', async (t) => {
  const objects = await objectsOf(t)
  const facts = { media: new Map(), bakes: new Map() }
  const canvas = { backend: 'napi', device: 'CPU' } as const
  const plan = makePlan({ project, facts, encoder: 'libx264', canvas, sha256 })
  objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
  const segments = plan.segments.map(({ index }) => index)
  t.is(segments.length, 2)
  const node = await nodeOf(t, { lanes: 1 })
  const named = segments.map((index) => `segment-${index}`)
  const { outcome, previews } = await runOn(node, objects, {
    kind: 'render',
    spec: { segments, assemble: false, preview: true },
    outputs: [...named, 'preview'],
  })
  t.true(outcome.done, JSON.stringify(outcome))
  t.is(previews, 2)
  const picture = sharp(objects.objects.get('preview'))
  t.like(await picture.metadata(), { format: 'jpeg', width: 320, height: 180 })
  const [red = 255, , blue = 0] = (await picture.stats()).channels.map(({ mean }) => mean)
  t.true(red < 60 && blue > 160, `${red} ${blue}`)

  const without = await runOn(node, objects, {
    kind: 'render',
    spec: { segments: [0], assemble: false },
    outputs: ['segment-0'],
    prefix: 'without-',
  })
  t.is(without.previews, 0)
  t.true(
    objects.objects.get('without-segment-0')?.equals(objects.objects.get('segment-0') as Buffer),
  )
})
