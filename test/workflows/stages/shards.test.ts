import test from 'ava'
import { engineVersion } from '../../../core/engine.ts'
import type { NodeOffer } from '../../../store/db/fleet-schema.ts'
import {
  chooseCanvas,
  chooseEncoder,
  groupShards,
  offersFor,
  renderSlots,
} from '../../../workflows/stages/shards.ts'

const offerOf = (given: Partial<NodeOffer>): NodeOffer => ({
  ...{ kinds: ['render', 'still'], slots: 2, encoders: ['libx264'], canvas: 'napi' },
  ...{ device: 'CPU', pool: '', tags: [], ...given },
})
const cpu = { backend: 'napi', device: 'CPU' } as const
const gpuA = { backend: 'skia', device: 'GPU A' } as const
const onGpuA = { canvas: 'skia', device: 'GPU A' }
const forFilms = { kind: 'render', encoder: 'libx264' } as const

const anywhere = { pool: null, tags: [] }
const online = (given: Partial<NodeOffer>) => ({
  offer: offerOf({ engine: engineVersion, ...given }),
  isOnline: true,
})
const gone = (given: Partial<NodeOffer>) => ({ ...online(given), isOnline: false })

test('nodes that are gone count only for kinds that no other does', (t) => {
  const cpuNode = online({ kinds: ['bake', 'still'] })
  const pool = gone({ ...onGpuA, kinds: ['bake', 'still', 'render'] })
  const offers = offersFor(anywhere, [cpuNode, pool])
  t.deepEqual(
    offers.map(({ canvas, kinds }) => [canvas, kinds]),
    [
      ['napi', ['bake', 'still']],
      ['skia', ['render']],
    ],
  )
  t.deepEqual(chooseCanvas(offers, forFilms), gpuA)
  t.deepEqual(chooseCanvas(offers, { ...forFilms, kind: 'still' }), cpu)
  t.deepEqual(offersFor(anywhere, [online({}), pool]).length, 2, 'for baking')
  t.deepEqual(chooseCanvas(offersFor(anywhere, [online({}), pool]), forFilms), cpu)
})

test('own nodes that are gone count before those of another engine', (t) => {
  const other = online({ engine: 'another', slots: 9 })
  const canvasAmong = (...known: Parameters<typeof offersFor>[1]) =>
    chooseCanvas(offersFor(anywhere, known), forFilms)
  t.deepEqual(canvasAmong(other, gone(onGpuA)), gpuA)
  t.deepEqual(canvasAmong(other, online({ ...onGpuA, kinds: ['bake'] })), cpu, 'kind by kind')
  t.deepEqual(canvasAmong(gone({ ...onGpuA, engine: 'another' }), other), cpu)
  t.deepEqual(canvasAmong(gone({ ...onGpuA, engine: 'another' })), gpuA)
  t.deepEqual(canvasAmong(), cpu)
})

test('only nodes at a job’s place count, once there are any', (t) => {
  const known = [online({ slots: 9 }), gone({ ...onGpuA, pool: 'gpu', tags: ['eu'] })]
  const canvasAt = (pool: string | null, tags: string[] = []) =>
    chooseCanvas(offersFor({ pool, tags }, known), forFilms)
  t.deepEqual(canvasAt('gpu'), gpuA)
  t.deepEqual(canvasAt('gpu', ['eu']), gpuA)
  t.deepEqual(canvasAt(null, ['eu']), gpuA)
  t.deepEqual(canvasAt(null), cpu)
  t.deepEqual(canvasAt('never seen'), cpu)
})

test('jobs that share a list and a place share its offers', (t) => {
  const known = [online({ pool: 'gpu' }), online({ pool: 'cpu' })]
  const gpu = offersFor({ pool: 'gpu', tags: [] }, known)
  t.is(offersFor({ pool: 'gpu', tags: [] }, known), gpu)
  t.deepEqual(
    [gpu, offersFor({ pool: 'cpu', tags: [] }, known)].map((all) => all.map(({ pool }) => pool)),
    [['gpu'], ['cpu']],
  )
  t.not(offersFor({ pool: 'gpu', tags: [] }, [...known]), gpu, 'a later list may differ')
})

test("the GPU's encoder is chosen when one node that renders has it", (t) => {
  const nvenc = { encoders: ['libx264', 'h264_nvenc'] }
  t.is(chooseEncoder([offerOf({}), offerOf(nvenc)], 'mov'), 'h264_nvenc')
  t.is(chooseEncoder([offerOf({}), offerOf({ ...nvenc, kinds: ['bake'] })], 'mp4'), 'libx264')
  t.is(chooseEncoder([], 'mp4'), 'libx264')
})

test('webm and avi have their own encoders, whatever else nodes have', (t) => {
  const offers = [offerOf({ encoders: ['h264_nvenc', 'libvpx-vp9', 'mpeg4'] })]
  t.is(chooseEncoder(offers, 'webm'), 'libvpx-vp9')
  t.is(chooseEncoder(offers, 'avi'), 'mpeg4')
  t.is(chooseEncoder([], 'webm'), 'libvpx-vp9')
})

test('the canvas with the most slots is chosen, by device as well', (t) => {
  const choose = (...offers: Partial<NodeOffer>[]) => chooseCanvas(offers.map(offerOf), forFilms)
  t.deepEqual(choose({ slots: 3 }, onGpuA, { ...onGpuA, slots: 1 }), cpu)
  t.deepEqual(choose({ slots: 3 }, onGpuA, onGpuA), gpuA)
  t.deepEqual(choose({ slots: 3 }, onGpuA, { canvas: 'skia', device: 'GPU B' }), cpu)
})

test('canvases that are even are chosen alike in any node order', (t) => {
  const offers = [offerOf(onGpuA), offerOf({}), offerOf({ canvas: 'skia', device: 'CPU' })]
  t.deepEqual(chooseCanvas(offers, forFilms), cpu)
  t.deepEqual(chooseCanvas(offers.toReversed(), forFilms), cpu)
})

test('only nodes that can do the work count', (t) => {
  const offers = [
    offerOf({ slots: 1 }),
    offerOf({ ...onGpuA, slots: 9, encoders: ['h264_nvenc'] }),
    offerOf({ ...onGpuA, slots: 9, kinds: ['bake'] }),
    offerOf({ slots: 9, canvas: 'crayon' }),
  ]
  t.deepEqual(chooseCanvas(offers, forFilms), cpu)
  t.deepEqual(chooseCanvas(offers, { ...forFilms, kind: 'still' }), gpuA)
  t.deepEqual(chooseCanvas([], forFilms), cpu)
})

test('slots are counted of nodes with both, encoder and canvas', (t) => {
  const offers = [
    offerOf({ slots: 4 }),
    offerOf({ ...onGpuA, slots: 8 }),
    offerOf({ slots: 16, device: 'GPU A' }),
    offerOf({ slots: 32, encoders: [] }),
  ]
  t.is(renderSlots(offers, { encoder: 'libx264', canvas: cpu }), 4)
  t.is(renderSlots(offers, { encoder: 'libx264', canvas: gpuA }), 8)
  t.is(renderSlots(offers, { encoder: 'h264_nvenc', canvas: gpuA }), 1)
})

const segmentsOf = (count: number, frames = 50) =>
  Array.from({ length: count }, (_, index) => {
    const range = { start: index * frames, frames, pictures: frames, encoded: frames }
    return { index, ...range, fingerprint: `${index}`, pixels: [] }
  })
type Fleet = Omit<Parameters<typeof groupShards>[1], 'frameCost'> & { frameCost?: number }
const sizesOfShards = (count: number, fleet: Fleet) =>
  groupShards(segmentsOf(count), { frameCost: 1, ...fleet }).map((shard) => shard.length)

test('there is a shard for each slot until speed is measured', (t) => {
  t.deepEqual(sizesOfShards(12, { slots: 4, free: 0, pace: undefined }), [3, 3, 3, 3])
  t.is(sizesOfShards(40, { slots: 2, free: 2, pace: undefined }).length, 5)
})

test('less than four seconds of work is one shard', (t) => {
  t.deepEqual(sizesOfShards(4, { slots: 64, free: 64, pace: 51 }), [4])
  t.deepEqual(sizesOfShards(4, { slots: 64, free: 64, pace: 50 }), [2, 2])
  t.deepEqual(sizesOfShards(1, { slots: 1, free: 0, pace: 10_000 }), [1])
  const busy = { slots: 64, free: 64, pace: 10 }
  t.deepEqual(sizesOfShards(4, { ...busy, frameCost: 0.25 }), [4], 'small, though it goes slowly')
  t.deepEqual(sizesOfShards(4, busy), [2, 2])
})

test('repeated stills that skip the encoder count as no work', (t) => {
  const [moving, standing, ...rest] = segmentsOf(4).map((segment, i) =>
    i === 0 ? { ...segment, encoded: 200 } : { ...segment, frames: 100, encoded: 12 },
  )
  const fleet = { slots: 2, free: 2, pace: 40, frameCost: 1 }
  const shards = groupShards(
    [moving, standing, ...rest].flatMap((each) => each ?? []),
    fleet,
  )
  t.deepEqual(
    shards.map((shard) => shard.map(({ index }) => index)),
    [[0], [1, 2, 3]],
  )
  t.is(groupShards(rest, fleet).length, 1)
})

test('a small job takes the free slots in shards of two seconds', (t) => {
  const quick = { slots: 100, pace: 100 }
  t.deepEqual(sizesOfShards(16, { ...quick, free: 4 }), [4, 4, 4, 4])
  t.is(sizesOfShards(12, { ...quick, free: 100 }).length, 3, '600 frames are 6 s')
  t.is(sizesOfShards(12, { ...quick, free: 0 }).length, 2, 'never more than 5 s each')
  t.is(
    sizesOfShards(12, { slots: 100, free: 100, pace: 10_000 }).length,
    2,
    'of 8 segments at most',
  )
})

test('a job larger than the fleet comes in whole rounds of slots', (t) => {
  const shards = sizesOfShards(100, { slots: 3, free: 1, pace: 50 })
  t.is(shards.length, 21, '100 s in shards of 5 s are 20, the next rounds end at 21')
  t.is(
    shards.reduce((sum, size) => sum + size, 0),
    100,
  )
})

test('however they are grouped, all segments are there once and in order', (t) => {
  for (const pace of [undefined, 1, 20, 300, 10_000]) {
    for (const slots of [1, 3, 64]) {
      const shards = groupShards(segmentsOf(37), { slots, free: slots, pace, frameCost: 1 })
      t.deepEqual(
        shards.flat().map(({ index }) => index),
        segmentsOf(37).map(({ index }) => index),
      )
    }
  }
})
