import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, createWriteStream } from 'node:fs'
import { access, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePlan } from '../core/plan/make-plan.ts'
import type { Plan, Segment } from '../core/plan/plan.ts'
import type { Pixels } from '../core/timeline/draw.ts'
import { describeFrame } from '../core/timeline/frame.ts'
import { openFramePipe } from '../worker/encode/frame-pipe.ts'
import { segmentArgs } from '../worker/encode/video.ts'
import { createYuvConverter } from '../worker/encode/yuv/yuv.ts'
import type { Canvas } from '../worker/paint/canvas.ts'
import { chooseCanvas } from '../worker/paint/choose.ts'
import { createPainter, type Painter } from '../worker/paint/painter.ts'
import { createNamedPipes } from '../worker/process/named-pipes.ts'
import { benchFilm, benchPictures } from './film.ts'
import { secondsOf, showSpread, showTable, spreadOf } from './statistics.ts'

/** Segments encoded at once: one thread each, as many as this machine's cores. */
const lanes = 2
type Case = {
  readonly plan: Plan
  readonly painter: () => Painter
  readonly folder: string
  readonly rawFolder: string
  readonly repeats: number
}

/**
 * Measures frames/s of painting alone, of painting and encoding, and of encoding the same frames
 * from raw RGBA files (the limit). They take turns in one run, with the same encoder settings and
 * segments.
 */
export async function benchPainting(repeats: number): Promise<void> {
  const { canvas } = await chooseCanvas('auto')
  process.stdout.write(
    `Painting and encoding, 300 frames at 30/s, canvas ${canvas.name} (${canvas.device}), x264 veryfast crf 23, ${lanes} segments at once, frames/s: median (min .. max) of ${repeats}\n`,
  )
  const rows: string[][] = []
  for (const [width, height] of [
    [1280, 720],
    [1920, 1080],
  ] as const) {
    rows.push([`${width}x${height}`, ...(await benchSize(canvas, { width, height }, repeats))])
  }
  const header = ['size', 'paint alone', 'paint + encode', 'encode from raw file', 'of the limit']
  process.stdout.write(`${showTable(header, rows)}\n`)
}

async function benchSize(
  canvas: Canvas,
  size: { width: number; height: number },
  repeats: number,
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-bench-'))
  const rawFolder = join(await rawRoot(folder), `farm-bench-raw-${process.pid}`)
  await mkdir(rawFolder, { recursive: true })
  try {
    const { project, facts } = benchFilm(size)
    const plan = makePlan({
      project,
      facts,
      encoder: 'libx264',
      canvas: { backend: canvas.name, device: canvas.device },
      sha256: (text) => `${text.length}`,
    })
    const bitmaps = new Map(
      benchPictures(size).map(({ digest, ...pixels }) => [digest, canvas.bitmapFromRgba(pixels)]),
    )
    const bitmap = ({ digest }: Pixels) => {
      const found = bitmaps.get(digest)
      if (!found) throw new Error(`the bench has no picture ${digest}`)
      return found
    }
    const painter = () => createPainter({ backend: canvas, ...size, bitmap })
    return await measure({ plan, painter, folder, rawFolder, repeats })
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(rawFolder, { recursive: true, force: true })
  }
}

async function measure(bench: Case): Promise<string[]> {
  const { frames } = bench.plan.timeline
  await inLanes(bench.plan.segments, (segment) => writeRaw(bench, segment))
  const rates: { paint: number[]; both: number[]; limit: number[]; ratio: number[] } = {
    paint: [],
    both: [],
    limit: [],
    ratio: [],
  }
  for (let run = 0; run < bench.repeats; run += 1) {
    const paint = frames / (await secondsOf(() => paintAlone(bench)))
    const both =
      frames /
      (await secondsOf(() => inLanes(bench.plan.segments, (s) => paintAndEncode(bench, s))))
    const limit =
      frames / (await secondsOf(() => inLanes(bench.plan.segments, (s) => encodeRaw(bench, s))))
    rates.paint.push(paint)
    rates.both.push(both)
    rates.limit.push(limit)
    rates.ratio.push(both / limit)
  }
  const shown = (values: number[], digits?: number) => showSpread(spreadOf(values), digits)
  return [shown(rates.paint), shown(rates.both), shown(rates.limit), shown(rates.ratio, 2)]
}

async function paintAlone({ plan, painter }: Case): Promise<void> {
  const { paint } = painter()
  for (let n = 0; n < plan.timeline.frames; n += 1) await paint(describeFrame(plan.timeline, n))
}

/** Gives the next segment to the first free lane, as on a node. */
async function inLanes(
  segments: readonly Segment[],
  work: (segment: Segment) => Promise<void>,
): Promise<void> {
  const waiting = [...segments]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

const framesOf = ({ start, frames }: Segment) => Array.from({ length: frames }, (_, i) => start + i)

async function paintAndEncode({ plan, painter, folder }: Case, segment: Segment): Promise<void> {
  const { paint } = painter()
  const yuv = createYuvConverter(plan.timeline)
  const { frameRate } = plan.timeline
  const pipes = createNamedPipes(folder)
  const { signal } = new AbortController()
  const pipe = await openFramePipe(
    { width: yuv.width, height: yuv.height, frameRate, encoder: plan.encoder },
    { output: join(folder, `segment-${segment.index}.mp4`), pipes, signal },
  )
  for (const n of framesOf(segment)) {
    await pipe.write(yuv.convert(await paint(describeFrame(plan.timeline, n))))
  }
  await pipe.end()
}

async function writeRaw({ plan, painter, rawFolder }: Case, segment: Segment): Promise<void> {
  const { paint } = painter()
  const file = createWriteStream(join(rawFolder, `${segment.index}.rgba`))
  for (const n of framesOf(segment)) {
    if (!file.write(await paint(describeFrame(plan.timeline, n)))) await once(file, 'drain')
  }
  file.end()
  await once(file, 'close')
}

/** Runs the node's encoder, fed with RGBA from a file that is already in memory. */
async function encodeRaw({ plan, folder, rawFolder }: Case, segment: Segment): Promise<void> {
  const output = join(folder, `limit-${segment.index}.mp4`)
  const args = segmentArgs({ ...plan.timeline, encoder: plan.encoder }, output)
  const input = args.indexOf('-i')
  const fromFile = [
    ...args.slice(0, input).map((arg) => (arg === 'yuv420p' ? 'rgb0' : arg)),
    ...['-i', join(rawFolder, `${segment.index}.rgba`), '-vf', toYuv],
    ...args.slice(input + 2),
  ]
  const ffmpeg = spawn('ffmpeg', fromFile, { stdio: 'ignore' })
  const [code] = await once(ffmpeg, 'exit')
  if (code !== 0) throw new Error(`ffmpeg ended with exit code ${code}`)
}

/** swscale's own default would be BT.601. */
const toYuv = 'scale=in_range=full:out_range=limited:out_color_matrix=bt709,format=yuv420p'

/** Returns a folder in memory for raw frames, if the system has one: a disk would be the limit. */
async function rawRoot(otherwise: string): Promise<string> {
  try {
    await access('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return otherwise // macOS has none
  }
}
