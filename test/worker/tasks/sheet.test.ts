import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { Value } from 'typebox/value'
import { planOfFrames } from '../../../core/plan/make-plan.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import { type SheetFacts, SheetResult, type SheetSpec } from '../../../core/queue/tasks.ts'
import { imageOf, projectOf, sceneOf } from '../../core/project-of.ts'
import { nodeOf, objectsOf, runOn } from './node-of.ts'

const canvas = { backend: 'napi', device: 'CPU' } as const
const facts = { media: new Map(), bakes: new Map() }

/** Three scenes of one second and one colour each. */
const colors = ['#c02040', '#20c040', '#2040c0']
const project = projectOf({
  width: 640,
  height: 360,
  scenes: colors.map((backgroundColor, n) =>
    sceneOf({ field: `scenes[${n}]`, id: `scene-${n}`, duration: 1, backgroundColor }),
  ),
})
const frame = { width: 320, height: 180 }
const momentsAt = (...seconds: number[]) =>
  seconds.map((second) => ({ seconds: second, frame: Math.floor(second * project.frameRate) }))

async function paint(
  t: ExecutionContext,
  spec: Partial<SheetSpec>,
  of: ResolvedProject = project,
): Promise<{ jpeg: Buffer; sheet: SheetFacts }> {
  const objects = await objectsOf(t)
  const plan = planOfFrames({ project: of, facts, encoder: 'libx264', canvas })
  objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
  const { outcome } = await runOn(await nodeOf(t, { lanes: 1 }), objects, {
    kind: 'sheet',
    spec: { moments: momentsAt(0.5, 1.5, 2.5), hasTimes: true, frame, maxBytes: 27_000, ...spec },
    outputs: ['sheet'],
  })
  if (!outcome.done) throw new Error(JSON.stringify(outcome))
  const { sheet } = Value.Parse(SheetResult, outcome.result)
  return { jpeg: objects.objects.get('sheet') as Buffer, sheet }
}

/** Mean colour of a part of the sheet, as #rrggbb of sixteenths. */
async function colorAt(
  jpeg: Buffer,
  area: { left: number; top: number; width: number; height: number },
) {
  const { channels } = await sharp(await sharp(jpeg).extract(area).png().toBuffer()).stats()
  return channels.map(({ mean }) => Math.round(mean / 16).toString(16)).join('')
}

test('each moment is in its place, with its time below', async (t) => {
  const { jpeg, sheet } = await paint(t, { moments: momentsAt(2.5, 0.5, 1.5) })
  const { width, height, places, bytes } = sheet
  t.like(await sharp(jpeg).metadata(), { format: 'jpeg', width, height })
  t.is(bytes, jpeg.length)
  const seen = await Promise.all(
    places.map(({ x, y }) => colorAt(jpeg, { left: x + 8, top: y + 8, width: 300, height: 160 })),
  )
  t.deepEqual(seen, ['24c', 'c24', '2c4'])
  for (const { x, y } of places) {
    const below = sharp(jpeg).extract({ left: x, top: y + 182, width: 320, height: 16 })
    const { channels } = await sharp(await below.png().toBuffer()).stats()
    t.true((channels[0]?.max ?? 0) > 180, 'letters')
    t.true((channels[0]?.mean ?? 255) < 60, 'on dark ground')
  }
})

test('a moment asked for twice is painted twice on the sheet', async (t) => {
  const { jpeg, sheet } = await paint(t, { moments: momentsAt(1.5, 1.5) })
  t.is(sheet.places.length, 2)
  for (const { x, y } of sheet.places) {
    t.is(await colorAt(jpeg, { left: x + 8, top: y + 8, width: 300, height: 160 }), '2c4')
  }
})

test('a sheet takes the highest quality that fits, or is reduced', async (t) => {
  const svg = (seed: number) =>
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360">${Array.from(
        { length: 900 },
        (_, i) => {
          const at = (i * 7919 + seed * 104_729) % 230_400
          const color = ((i * 2_654_435_761 + seed) % 16_777_216).toString(16).padStart(6, '0')
          return `<rect x="${at % 640}" y="${Math.floor(at / 640)}" width="24" height="17" fill="#${color}"/>`
        },
      ).join('')}</svg>`,
    )
  const objects = await objectsOf(t)
  const digest = objects.add(await sharp(svg(1)).png().toBuffer())
  const src = 'https://example.com/noise.png'
  const image = { kind: 'image', format: 'png', width: 640, height: 360, hasAlpha: true } as const
  const media = new Map([[`image ${src}`, { digest, facts: image }]])
  const noisy = projectOf({ width: 640, height: 360, duration: 3, visuals: [imageOf({ src })] })
  const plan = planOfFrames({
    project: noisy,
    facts: { media, bakes: new Map() },
    encoder: 'libx264',
    canvas,
  })
  objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
  const node = await nodeOf(t, { lanes: 1 })
  const made: SheetFacts[] = []
  for (const maxBytes of [200_000, 60_000, 10_000]) {
    const { outcome } = await runOn(node, objects, {
      kind: 'sheet',
      spec: { moments: momentsAt(0.5, 1.5, 2.5), hasTimes: true, frame, maxBytes },
      outputs: ['sheet'],
    })
    t.true(outcome.done, JSON.stringify(outcome))
    if (!outcome.done) return
    const { sheet } = Value.Parse(SheetResult, outcome.result)
    const jpeg = objects.objects.get('sheet') as Buffer
    t.true(jpeg.length <= maxBytes, `${jpeg.length} of ${maxBytes}`)
    t.like(await sharp(jpeg).metadata(), { width: sheet.width, height: sheet.height })
    made.push(sheet)
  }
  const [large, middle, small] = made
  t.true((large?.quality ?? 0) >= 92)
  t.true((middle?.quality ?? 99) < (large?.quality ?? 0))
  t.is(middle?.width, large?.width)
  t.true((small?.width ?? 0) < (large?.width ?? 0))
  const { frame: reduced, places = [], width = 0, height = 0 } = small ?? {}
  for (const { x, y } of places) {
    t.true(x + (reduced?.width ?? 0) <= width && y + (reduced?.height ?? 0) <= height)
  }
})

test('a plan for another canvas is refused', async (t) => {
  const objects = await objectsOf(t)
  const other = { backend: 'skia', device: 'GPU' } as const
  const plan = planOfFrames({ project, facts, encoder: 'libx264', canvas: other })
  objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
  const { outcome } = await runOn(await nodeOf(t, { lanes: 1 }), objects, {
    kind: 'sheet',
    spec: { moments: momentsAt(1), hasTimes: true, frame, maxBytes: 27_000 },
    outputs: ['sheet'],
  })
  t.false(outcome.done)
})
