import { rename } from 'node:fs/promises'
import test, { type ExecutionContext } from 'ava'
import type { EncoderSettings } from '../../../core/plan/plan.ts'
import { openFramePipe } from '../../../worker/encode/frame-pipe.ts'
import { joinFilm, type SegmentFile } from '../../../worker/encode/join.ts'
import { createYuvConverter } from '../../../worker/encode/yuv/yuv.ts'
import { createNamedPipes } from '../../../worker/process/named-pipes.ts'
import { type Coding, insertRepeats, keyFramesOf } from '../../../worker/still-frames/index.ts'
import { fine, lossless, movingFrame, never, outputOf, workOf } from '../encode/film-of.ts'

const size = { width: 160, height: 90, frameRate: 30 }
const moving = { frames: 1, encoded: 1 }
const held = (frames: number) => ({ frames, encoded: 12 })

/** Encodes pictures in order, each shown as often as its coding says. */
async function segmentOf(
  t: ExecutionContext,
  codings: readonly Coding[],
  encoder: EncoderSettings = fine,
) {
  const work = await workOf(t)
  const file = `${work.dir}/segment-0`
  const format = { ...size, encoder, keyFrames: keyFramesOf(codings) }
  const pipe = await openFramePipe(format, {
    output: file,
    pipes: createNamedPipes(work.dir),
    signal: never,
  })
  const yuv = createYuvConverter(size)
  for (const [n, { encoded }] of codings.entries()) {
    const picture = Buffer.from(yuv.convert(movingFrame(size, n)))
    for (let i = 0; i < encoded; i += 1) await pipe.write(picture)
  }
  await pipe.end()
  await insertRepeats({ from: file, to: file }, codings)
  const frames = codings.reduce((sum, coding) => sum + coding.frames, 0)
  return { work, segment: { index: 0, file, frames } }
}

async function framesOf(file: string): Promise<string[]> {
  const listed = await outputOf('ffmpeg', '-xerror', '-i', file, '-f', 'framemd5', '-')
  return listed
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('0,'))
    .map((line) => line.split(',').at(-1)?.trim() ?? '')
}

async function packetsOf(file: string) {
  const probed = await outputOf('ffprobe', '-show_packets', '-of', 'json', file)
  return JSON.parse(probed.toString()).packets as { pts: number; dts: number; flags: string }[]
}

const mixed = [
  ...Array.from({ length: 9 }, () => moving),
  held(70),
  ...Array.from({ length: 14 }, () => moving),
  held(40),
  held(30),
  moving,
]

const settings: Record<string, EncoderSettings> = {
  'CABAC, B-pictures and weights': fine,
  'CABAC, more references': { ...fine, preset: 'medium', crf: 20 },
  'CAVLC without B-pictures': { ...lossless, crf: 12 },
  'CAVLC, lossless': lossless,
}
for (const [name, encoder] of Object.entries(settings)) {
  test(`held pictures decode to what stands before them: ${name}`, async (t) => {
    const { segment } = await segmentOf(t, mixed, encoder)
    const seen = await framesOf(segment.file)
    t.is(seen.length, segment.frames)
    let at = 0
    for (const { frames, encoded } of mixed) {
      const last = seen[at + encoded - 1]
      t.deepEqual(
        seen.slice(at + encoded, at + frames),
        Array.from({ length: frames - encoded }, () => last),
      )
      at += frames
    }
    t.true(new Set(seen).size >= mixed.length)
  })
}

test('frames not held are those the encoder makes without holding any', async (t) => {
  const { segment } = await segmentOf(t, mixed, lossless)
  const all = mixed.map(({ frames }) => ({ frames, encoded: frames }))
  const plain = await segmentOf(t, all, lossless)
  t.deepEqual(await framesOf(segment.file), await framesOf(plain.segment.file))
})

test('every packet has its time; playback can start after each held picture', async (t) => {
  const { segment } = await segmentOf(t, mixed)
  const packets = await packetsOf(segment.file)
  t.is(packets.length, segment.frames)
  t.deepEqual(
    packets.map(({ dts }) => dts - (packets[0]?.dts ?? 0)),
    packets.map((_, i) => i),
  )
  t.deepEqual(
    packets.map(({ pts }) => pts).toSorted((a, b) => a - b),
    packets.map((_, i) => i),
  )
  t.true(packets.every(({ pts, dts }) => pts >= dts))
  const keys = packets.flatMap(({ flags, pts }) => (flags.startsWith('K') ? [pts] : []))
  for (const start of [0, 79, 133, 163]) t.true(keys.includes(start), `${keys}`)
})

test('a film of held segments, one repeated, has its frames and times', async (t) => {
  const { work, segment } = await segmentOf(t, mixed)
  const one = `${work.dir}/held`
  await rename(segment.file, one)
  const segments: SegmentFile[] = [0, 1, 2].map((index) => ({ ...segment, index, file: one }))
  const film = { ...size, format: 'mp4' as const, segments, title: '', clips: [] }
  const file = await joinFilm(film, work)
  const seen = await framesOf(one)
  t.deepEqual(await framesOf(file), [...seen, ...seen, ...seen])
  const packets = await packetsOf(file)
  t.deepEqual(
    packets.map(({ pts }) => pts).toSorted((a, b) => a - b),
    packets.map((_, i) => i * 512),
  )
  t.deepEqual(
    packets.map(({ dts }) => dts - (packets[0]?.dts ?? 0)),
    packets.map((_, i) => i * 512),
  )
})

test('any place of a held picture can be sought', async (t) => {
  const { segment } = await segmentOf(t, mixed)
  const seen = await framesOf(segment.file)
  for (const n of [5, 20, 60, 78, 79, 110, 140, 163]) {
    const second = ((n - 0.5) / size.frameRate).toFixed(6)
    const args = ['-ss', second, '-i', segment.file, '-frames:v', '1', '-f', 'framemd5', '-']
    const found = (await outputOf('ffmpeg', ...args)).toString().trim().split(',').at(-1)?.trim()
    t.is(found, seen[n])
  }
})
