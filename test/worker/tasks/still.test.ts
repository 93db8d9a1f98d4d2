import { createHash } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { makePlan } from '../../../core/plan/make-plan.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { imageOf, imageSrc, projectOf } from '../../core/project-of.ts'
import { nodeOf, objectsOf, runOn } from './node-of.ts'

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const size = { width: 160, height: 90 }

/** A green screen of 40 x 20 px with a noisy square of 20 x 20 in its right half. */
async function screen(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const square = sharp({
    create: { width: 20, height: 20, channels: 3, background: '#888', noise },
  })
  const green = sharp({ create: { width: 40, height: 20, channels: 3, background: '#00ff00' } })
  const input = await square.png().toBuffer()
  return green
    .composite([{ input, left: 20, top: 0 }])
    .png()
    .toBuffer()
}

/** Renders a still of the screen to a file. */
async function stillOf(t: ExecutionContext, changes: Partial<ResolvedProject>): Promise<Buffer> {
  const objects = await objectsOf(t)
  const digest = objects.add(await screen())
  const facts = { kind: 'image', format: 'png', width: 40, height: 20, hasAlpha: false } as const
  const project = projectOf({
    ...{ ...size, type: 'image', frameRate: 1, outputFormat: 'png' },
    visuals: [imageOf({ x: 10, y: 10, width: 80, height: 40 })],
    ...changes,
  })
  const plan = makePlan({
    project,
    facts: {
      media: new Map([[mediaKey({ expect: 'image', url: imageSrc }), { digest, facts }]]),
      bakes: new Map(),
    },
    encoder: 'libx264',
    canvas: { backend: 'napi', device: 'CPU' },
    sha256,
  })
  objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
  const outputs = ['output', 'thumbnail']
  const { outcome } = await runOn(await nodeOf(t), objects, { kind: 'still', spec: {}, outputs })
  t.true(outcome.done, JSON.stringify(outcome))
  t.like(outcome, { result: { output: { ...size, frames: 1, duration: 0 } } })
  const thumbnail = await sharp(objects.objects.get('thumbnail')).metadata()
  t.like(thumbnail, { format: 'jpeg', ...size })
  return objects.objects.get('output') ?? Buffer.alloc(0)
}

async function pixelsOf(file: Buffer) {
  const { data, info } = await sharp(file).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return (x: number, y: number) => [...data.subarray((y * info.width + x) * 4).subarray(0, 4)]
}

const close = (seen: number[], expected: number[], by: number) =>
  seen.every((value, channel) => Math.abs(value - (expected[channel] ?? 0)) <= by)

for (const [outputFormat, format] of [
  ['png', 'png'],
  ['jpg', 'jpeg'],
  ['jpeg', 'jpeg'],
  ['webp', 'webp'],
] as const) {
  test(`a still as ${outputFormat} is a whole ${format} without alpha`, async (t) => {
    const file = await stillOf(t, { outputFormat, backgroundColor: '#204080', quality: 95 })
    t.like(await sharp(file).metadata(), { format, ...size, channels: 3, hasAlpha: false })
    const at = await pixelsOf(file)
    t.true(close(at(2, 2), [0x20, 0x40, 0x80, 255], 4), `${at(2, 2)}`)
    t.true(close(at(20, 30), [0, 255, 0, 255], 6), `${at(20, 30)}`)
  })
}

for (const outputFormat of ['png', 'webp'] as const) {
  test(`a transparent ${outputFormat} has straight colours under its alpha`, async (t) => {
    const visuals = [imageOf({ x: 10, y: 10, width: 80, height: 40, opacity: 0.5 })]
    const transparent = { outputFormat, transparent: true, quality: 95 }
    const file = await stillOf(t, { ...transparent, visuals })
    t.like(await sharp(file).metadata(), { channels: 4, hasAlpha: true })
    const at = await pixelsOf(file)
    t.is(at(2, 2)[3], 0)
    t.true(close(at(20, 30), [0, 255, 0, 128], 6), `${at(20, 30)}`)
  })
}

for (const outputFormat of ['jpg', 'webp'] as const) {
  test(`the quality of a ${outputFormat} decides about its size`, async (t) => {
    const sizes: number[] = []
    for (const quality of [1, 50, 100]) {
      sizes.push((await stillOf(t, { outputFormat, quality })).length)
    }
    const [low = 0, middle = 0, high = 0] = sizes
    t.true(low < middle && middle < high, `${sizes}`)
  })
}

test('one picture, two keys or none: fetched once, painted three ways', async (t) => {
  const at0 = { width: 40, height: 20 }
  const visuals = [
    imageOf(at0),
    imageOf({ ...at0, x: 40, chromaKey: { color: '#00ff00', similarity: 20, blend: 0 } }),
    imageOf({ ...at0, x: 80, chromaKey: { color: '#00ff00', similarity: 100, blend: 0 } }),
  ]
  const at = await pixelsOf(await stillOf(t, { visuals, transparent: true }))
  const alphas = [0, 30, 40, 70, 80, 110].map((x) => at(x, 10)[3])
  t.deepEqual(alphas, [255, 255, 0, 255, 0, 0])
})
