import { join } from 'node:path'
import test from 'ava'
import { createLimiter } from '../../../worker/sound/limiter.ts'
import { outputOf, workOf, writeWav } from '../encode/film-of.ts'
import { hz, left, mixOf, toneAt } from './mix-of.ts'

const right = (pcm: Float32Array, sample: number) => pcm[sample * 2 + 1] ?? Number.NaN

/** Cycles a second between two samples, from the upward crossings of zero. */
function frequency(pcm: Float32Array, from: number, to: number): number {
  let crossings = 0
  for (let i = from + 1; i < to; i += 1)
    if (left(pcm, i - 1) < 0 && left(pcm, i) >= 0) crossings += 1
  return (crossings * 48_000) / (to - from)
}

test('a clip plays from sample to sample at its volume', async (t) => {
  const { dir } = await workOf(t)
  const file = await writeWav(join(dir, 'ramp'), { samples: 48_000 }, (i) => (i + 1) / 60_000)
  const pcm = await mixOf(
    t,
    [{ file, at: 60_123, from: 1_000, length: 20_000, volume: 0.5 }],
    100_001,
  )
  t.is(pcm.length, 100_001 * 2)
  t.is(left(pcm, 60_122), 0)
  t.true(Math.abs(left(pcm, 60_123) - (1_001 / 60_000) * 0.5) < 1e-4)
  t.true(Math.abs(left(pcm, 80_122) - (21_000 / 60_000) * 0.5) < 1e-4)
  t.is(left(pcm, 80_123), 0)
})

test('mono plays on both sides at its own level; stereo stays apart', async (t) => {
  const { dir } = await workOf(t)
  const mono = await writeWav(join(dir, 'mono'), { samples: 9_600 }, () => 0.5)
  const stereo = await writeWav(join(dir, 'stereo'), { samples: 9_600, channels: 2 }, (_, c) =>
    c === 0 ? 0.25 : -0.125,
  )
  const clips = [
    { file: mono, length: 4_800 },
    { file: stereo, at: 4_800, length: 4_800 },
  ]
  const pcm = await mixOf(t, clips, 9_600)
  t.true(Math.abs(left(pcm, 2_000) - 0.5) < 1e-3 && Math.abs(right(pcm, 2_000) - 0.5) < 1e-3)
  t.true(Math.abs(left(pcm, 7_000) - 0.25) < 1e-3 && Math.abs(right(pcm, 7_000) + 0.125) < 1e-3)
})

test('overlapping clips add up; a source that ends early leaves silence', async (t) => {
  const { dir } = await workOf(t)
  const file = await writeWav(join(dir, 'level'), { samples: 4_800 }, () => 0.25)
  const pcm = await mixOf(
    t,
    [
      { file, length: 48_000 },
      { file, at: 2_400, length: 2_400, volume: 2 },
    ],
    24_000,
  )
  t.true(Math.abs(left(pcm, 1_000) - 0.25) < 1e-3)
  t.true(Math.abs(left(pcm, 3_000) - 0.75) < 1e-3)
  t.is(left(pcm, 10_000), 0)
})

for (const speed of [0.25, 0.5, 1.5, 3, 10]) {
  test(`speed ${speed} keeps the pitch and fills the length`, async (t) => {
    const { dir } = await workOf(t)
    const length = 24_000
    const samples = Math.ceil(length * speed) + 4_800
    const file = await writeWav(join(dir, 'tone'), { samples }, (i) => toneAt(i) / 2)
    const pcm = await mixOf(t, [{ file, length, speed }], length)
    t.true(Math.abs(frequency(pcm, 4_800, 19_200) - hz) < 10)
    const end = pcm.subarray((length - 400) * 2)
    t.true(Math.max(...end) > 0.3)
  })
}

test('stereo at another speed stays apart', async (t) => {
  const { dir } = await workOf(t)
  const wave = (i: number, side: number) => toneAt(i) * (side === 0 ? 0.5 : 0.1)
  const file = await writeWav(join(dir, 'stereo'), { samples: 48_000, channels: 2 }, wave)
  const pcm = await mixOf(t, [{ file, length: 24_000, speed: 2 }], 24_000)
  const peakOf = (side: number) =>
    pcm.reduce((most, value, i) => (i % 2 === side ? Math.max(most, value) : most), 0)
  t.true(Math.abs(peakOf(0) - 0.5) < 0.01 && Math.abs(peakOf(1) - 0.1) < 0.01)
})

test('sound of 44.1 kHz keeps its pitch and its place', async (t) => {
  const { dir } = await workOf(t)
  const file = await writeWav(join(dir, 'tone'), { samples: 44_100, rate: 44_100 }, (i) =>
    i < 22_050 ? 0 : toneAt(i - 22_050, 44_100) / 2,
  )
  const pcm = await mixOf(t, [{ file, length: 48_000 }], 48_000)
  t.true(Math.abs(frequency(pcm, 26_000, 46_000) - hz) < 5)
  t.true(Math.abs(left(pcm, 23_900)) < 0.01)
  t.true(Math.abs(left(pcm, 24_027) - toneAt(27) / 2) < 0.02)
})

for (const [format, args] of [
  ['mp3', ['-c:a', 'libmp3lame', '-b:a', '192k', '-f', 'mp3']],
  ['mp4', ['-c:a', 'aac', '-b:a', '192k', '-f', 'mp4']],
] as const) {
  test(`the silence that an ${format} encoder prepends is not played`, async (t) => {
    const { dir } = await workOf(t)
    const wav = await writeWav(join(dir, 'tone'), { samples: 48_000 }, (i) =>
      i < 24_000 ? 0 : toneAt(i) / 2,
    )
    const file = join(dir, 'coded')
    await outputOf('ffmpeg', '-f', 'wav', '-i', wav, ...args, file)
    const pcm = await mixOf(t, [{ file, format, length: 48_000 }], 48_000)
    const onset =
      Array.from({ length: 48_000 }, (_, i) => i).find((i) => Math.abs(left(pcm, i)) > 0.2) ?? -1
    t.true(Math.abs(onset - 24_008) <= 16, `the sound begins at ${onset}`)
  })
}

function limited(sum: Float32Array, blockSamples: number): Float32Array {
  const limiter = createLimiter()
  const padded = new Float32Array(sum.length + limiter.delay * 2)
  padded.set(sum)
  const result = new Float32Array(padded.length)
  for (let at = 0; at < padded.length; at += blockSamples * 2) {
    result.set(limiter.process(padded.slice(at, at + blockSamples * 2)), at)
  }
  return result.subarray(limiter.delay * 2)
}

const stereo = (samples: number, valueAt: (i: number) => number) =>
  Float32Array.from({ length: samples * 2 }, (_, i) => valueAt(i >> 1))

test('the limiter changes nothing of what stays below full scale', (t) => {
  const sum = stereo(20_000, (i) => toneAt(i) * 0.98)
  t.deepEqual(limited(sum, 4_800), sum)
})

test('the limiter lets nothing pass above full scale and makes no step', (t) => {
  // The tone is zero at every multiple of 1200: the sum itself makes no step there.
  const sum = stereo(96_000, (i) => toneAt(i) * (i > 20_400 && i < 39_600 ? 3.5 : 0.4))
  const result = limited(sum, 4_800)
  t.true(result.every((value) => Math.abs(value) <= 0.9886))
  let step = 0
  for (let i = 2; i < result.length; i += 2) {
    step = Math.max(step, Math.abs((result[i] ?? 0) - (result[i - 2] ?? 0)))
  }
  t.true(step < 0.08, `the largest step is ${step}`)
  t.true(Math.abs((result[2 * 19_000] ?? 0) - toneAt(19_000) * 0.4) < 1e-6)
  t.true(Math.abs((result[2 * 95_000] ?? 0) - toneAt(95_000) * 0.4) < 1e-3)
})

test('a loud constant tone keeps its level: the limiter does not pump', (t) => {
  const result = limited(
    stereo(96_000, (i) => toneAt(i) * 2),
    4_800,
  )
  const peaks = [1, 2, 3, 4, 5, 6, 7, 8].map((tenth) =>
    result.subarray(tenth * 9_600, (tenth + 1) * 9_600).reduce((most, x) => Math.max(most, x), 0),
  )
  t.true(Math.max(...peaks) - Math.min(...peaks) < 0.005)
})

test('the size of sound blocks changes nothing', (t) => {
  const sum = stereo(30_000, (i) => toneAt(i) * (i % 7_000 > 5_000 ? 2 : 0.5))
  t.deepEqual(limited(sum, 4_800), limited(sum, 777))
})
