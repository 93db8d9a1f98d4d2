import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FarmError } from '../../core/errors.ts'
import { seenFrom } from '../../core/plan/area.ts'
import { type OverClip, overClip } from '../../core/plan/bottom-clip.ts'
import { type Layer, layersOfRuns } from '../../core/plan/layers.ts'
import { movingArea } from '../../core/plan/moving-area.ts'
import type { Plan, Segment } from '../../core/plan/plan.ts'
import { encodedFramesOf, type Run, runsOf } from '../../core/plan/runs.ts'
import type { Pixels } from '../../core/timeline/draw.ts'
import type { RunningSpan } from '../../runtime/tracing/tracing.ts'
import type { TaskContext } from '../context.ts'
import { EncoderFailed, openFramePipe } from '../encode/frame-pipe.ts'
import type { YuvConverter } from '../encode/yuv/yuv.ts'
import { toYuva } from '../encode/yuv/yuva.ts'
import type { Bitmap } from '../paint/canvas.ts'
import { freePixels } from '../paint/free-pixels.ts'
import type { Composer } from '../paint/layers/composer.ts'
import { createPainter, type Painter } from '../paint/painter.ts'
import { type AnimationFrames, isAnimationFrame } from '../sources/animation-frames.ts'
import type { ClipFrameReader, ClipSources, OpenClip } from '../sources/clip-sources.ts'
import type { PictureStore } from '../sources/picture-store.ts'
import { type Coding, insertRepeats, keyFramesOf } from '../still-frames/index.ts'
import { previewSide, type YuvFrame } from '../tasks/preview.ts'
import type { Stopwatch } from '../tasks/stopwatch.ts'
import { encodeOverClip } from './over-clip-encoder.ts'
import { PatchedFrames } from './patched-frames.ts'
import { watchFrames } from './slowest-frames.ts'

/** Readers of pictures that change from frame to frame. */
export type MovingSources = {
  readonly clips: ClipFrameReader
  readonly animationFrames: AnimationFrames
}

export type SegmentWork = {
  readonly plan: Plan
  readonly segment: Segment
  readonly painter: Painter
  readonly sources: MovingSources
  readonly yuv: YuvConverter
  readonly composer: Composer
  readonly watch: Stopwatch
  /** Store of the segment's pictures: acquired here, and released by the caller. */
  readonly pictureStore: PictureStore
  readonly clips: ClipSources
  readonly span: RunningSpan
  readonly isPreviewed: boolean
  /** Encoded stills of this task, by their commands. */
  readonly encodedStills: Map<string, Promise<EncodedSegment>>
}

/**
 * Encoded segment. `last`: its last frame, valid until the converter is used again; absent when it
 * never was here. `shown`: then a small picture of its first frame, if the task has a preview.
 */
type EncodedSegment = { readonly file: string; readonly last?: YuvFrame; readonly shown?: string }

/** Started segment. `pictures` resolves when its pictures can be drawn. */
type BegunSegment = SegmentWork & { readonly pictures: Promise<void> }

/**
 * Paints and encodes one segment. Its pictures load while the encoder starts. Their errors surface
 * where they are awaited, and loading has ended when this settles. Segments are joined by
 * tasks/finish-film.ts.
 */
export async function renderSegment(work: SegmentWork, task: TaskContext): Promise<EncodedSegment> {
  const { watch, pictureStore, segment } = work
  const pictures = watch.time('pictures', () => pictureStore.acquire(segment.pixels))
  const ended = pictures.catch(() => undefined)
  try {
    return await renderOneWay({ ...work, pictures }, task)
  } finally {
    await ended
  }
}

/** Renders in one of two ways; only the plan decides, as their pixels differ slightly. */
async function renderOneWay(work: BegunSegment, task: TaskContext): Promise<EncodedSegment> {
  const { timeline, encoder } = work.plan
  const runs = [...runsOf(timeline, work.segment)].map((run) => ({
    ...run,
    encoded: encodedFramesOf(run, { frameRate: timeline.frameRate, encoder }),
  }))
  work.span.set({
    'farm.segment': work.segment.index,
    'farm.frames': work.segment.frames,
    'farm.frames.painted': runs.length,
    'farm.frames.repeated': work.segment.frames - runs.length,
  })
  const isRepeated = runs.some(({ frames, encoded }) => encoded < frames)
  const over = isRepeated ? undefined : overClip(runs, timeline)
  if (!over) return repeatStillFrames({ ...work, runs, mayCompose: true }, task)
  const clip = await work.clips.open(over.pixels.digest)
  if (clip.header.hasAlpha) return paintSegment({ ...work, runs, mayCompose: false }, task)
  work.span.set({ 'farm.over_clip': true, 'farm.frames.painted': over.above.length })
  return await renderOverClip({ ...work, ...clip, over }, task)
}

/** Encodes the runs and inserts their repeated frames. */
async function repeatStillFrames(work: PaintWork, task: TaskContext): Promise<EncodedSegment> {
  const { runs, watch, segment } = work
  if (runs.every(({ frames, encoded }) => encoded === frames)) return paintSegment(work, task)
  const [only] = runs
  const made =
    runs.length === 1 && only
      ? await encodedStill(work, only, task)
      : await paintSegment(work, task)
  const file = join(task.dir, `held-${segment.index}`)
  await watch.time('hold', () => insertRepeats({ from: made.file, to: file }, runs))
  return { ...made, file }
}

/**
 * Encodes a still once per task: parts of one still differ only in how long they are held
 * (core/plan/segments.ts), and the encoder gets the same frames.
 */
async function encodedStill(
  work: PaintWork,
  { commands, encoded }: Run & Coding,
  task: TaskContext,
): Promise<EncodedSegment> {
  const key = JSON.stringify([encoded, commands])
  const before = work.encodedStills.get(key)
  if (before) {
    const { file } = await before
    const { frames } = work.segment
    work.span.set({ 'farm.frames.painted': 0, 'farm.frames.repeated': frames })
    task.progress(frames)
    task.node.metrics.framesRendered('repeated', frames)
    return { file }
  }
  const made = paintSegment(work, task)
  work.encodedStills.set(key, made)
  return await made
}

/**
 * Makes a run's frame for the encoder; its bytes stay valid until the frame after the next is made.
 */
type FrameSource = (run: Run, nth: number) => Promise<Buffer>

/**
 * Returns the cheapest way to make the frames: static content is painted once, photographs are
 * composed in YUV, all else is painted frame by frame. Only the plan decides, except for pictures
 * that turn out not to be opaque.
 */
async function frameMaker(
  runs: readonly Run[],
  { plan, mayCompose, ...tools }: BegunSegment & { readonly mayCompose: boolean },
  { node }: TaskContext,
): Promise<FrameSource> {
  const { painter, yuv, watch, span, composer } = tools
  const { width, height } = plan.timeline
  const paint = (commands: Run['commands']) => painter.paint({ width, height, commands })
  const area = movingArea(runs, plan.timeline)
  if (area) {
    span.set({ 'farm.patched': true })
    const size = { width: area[2], height: area[3] }
    const { canvas: backend, copies } = node
    const whole = { width, height }
    const bitmap = (of: Pixels) => bitmapOf(of, tools)
    const patched = new PatchedFrames({
      ...{ area, size: whole },
      painter: createPainter({ backend, copies, ...size, whole, bitmap }),
      makeWhole: async (commands) => yuv.convert(await paint(commands)),
    })
    return ({ commands }) => watch.time('paint', () => patched.make(commands))
  }
  const layers = mayCompose ? await composable({ ...tools, plan }, runs) : undefined
  if (layers) {
    return (_, nth) => watch.time('compose', () => composer.compose(layers[nth] ?? []))
  }
  return async ({ commands }) => {
    const rgba = await watch.time('paint', () => paint(commands))
    return await watch.time('convert', async () => yuv.convert(rgba))
  }
}

function bitmapOf(
  pixels: Pixels,
  { sources, pictureStore }: Pick<SegmentWork, 'sources' | 'pictureStore'>,
): Bitmap {
  if (pixels.kind === 'clip') return sources.clips.bitmap(pixels)
  return (isAnimationFrame(pixels) ? sources.animationFrames : pictureStore).bitmap(pixels)
}

/** Returns the layers of each run, if all frames of the segment can be composed of photographs. */
async function composable(
  { plan, composer, watch, span }: Pick<SegmentWork, 'plan' | 'composer' | 'watch' | 'span'>,
  runs: readonly Run[],
): Promise<(readonly Layer[])[] | undefined> {
  const layers = plan.canvas.backend === 'napi' ? layersOfRuns(runs, plan.timeline) : undefined
  if (!layers) return undefined
  const isComposed = await watch.time('pictures', () => composer.canCompose(layers))
  span.set({ 'farm.composed': isComposed })
  return isComposed ? layers : undefined
}

type PaintWork = BegunSegment & {
  readonly runs: readonly (Run & Coding)[]
  /** Allows composing frames of layers. */
  readonly mayCompose: boolean
}

/**
 * Paints each run of equal frames once and sends it to the encoder once per frame; of a long run
 * the encoder gets the beginning.
 */
async function paintSegment(
  { runs, ...tools }: PaintWork,
  task: TaskContext,
): Promise<EncodedSegment> {
  const { node, dir, signal, progress } = task
  const { plan, segment, sources, watch, span } = tools
  const { timeline, encoder } = plan
  const output = join(dir, `segment-${segment.index}`)
  const { width, height, frameRate } = timeline
  const format = { width, height, frameRate, encoder, keyFrames: keyFramesOf(runs) }
  const pipe = await openFramePipe(format, { output, pipes: node.pipes, signal })
  const watched = watchFrames(span)
  let pixels: Buffer = Buffer.alloc(0)
  try {
    await tools.pictures
    const frameSource = await frameMaker(runs, tools, task)
    for (const [nth, run] of runs.entries()) {
      const { start, frames, encoded } = run
      signal.throwIfAborted()
      const times = watched.begin(start)
      await watch.time('clips', () => sources.clips.show(start))
      await watch.time('moments', () => sources.animationFrames.show(start))
      times.done('sources')
      pixels = await frameSource(run, nth)
      times.done('paint')
      for (let i = 0; i < encoded; i += 1) await watch.time('encode', () => pipe.write(pixels))
      times.done('encode')
      progress(frames)
      node.metrics.framesRendered('painted', 1)
      node.metrics.framesRendered('repeated', frames - 1)
    }
    await watch.time('encode', () => pipe.end())
    watched.report()
    return { file: output, last: { width: tools.yuv.width, height: tools.yuv.height, pixels } }
  } finally {
    await pipe.stop()
  }
}

/** Renders over a clip: paints the layers above it when they change, cropped to their area. */
async function renderOverClip(
  { plan, segment, over, ...tools }: BegunSegment & { over: OverClip } & OpenClip,
  task: TaskContext,
): Promise<EncodedSegment> {
  const { clip, header, keyFrames, pictures, sources, watch, span, isPreviewed } = tools
  const { node, signal, progress } = task
  const dir = join(task.dir, `over-clip-${segment.index}`)
  await mkdir(dir)
  const area = over.area ?? [0, 0, 2, 2]
  const size = { width: area[2], height: area[3] }
  const bitmap = (of: Pixels) => bitmapOf(of, tools)
  const painter = createPainter({ backend: node.canvas, copies: node.copies, ...size, bitmap })
  const picture = async (index: number) => {
    const { at = 0, commands: above = [] } = over.above[index] ?? {}
    const commands = seenFrom(above, area)
    await pictures
    await watch.time('moments', () => sources.animationFrames.show(segment.start + at))
    const rgba = await watch.time('paint', () => painter.paint({ ...size, commands }))
    const pixels = await watch.time('convert', async () => toYuva(rgba, size))
    freePixels(rgba)
    return pixels
  }
  const { sandbox, pipes } = node
  const work = { sandbox, pipes, dir, signal, picture, progress }
  const format = { ...plan.timeline, encoder: plan.encoder }
  const gpuFlags = await node.gpuDecoding.flagsFor(clip, header)
  signal.throwIfAborted()
  span.set({ 'farm.gpu_decoding': gpuFlags.length > 0 })
  try {
    const shown = isPreviewed ? { previewSide } : {}
    const job = { over, clip, header, keyFrames, gpuFlags, format, ...shown }
    const { file, preview } = await watch.time('encode', () => encodeOverClip(job, work))
    node.metrics.framesRendered('over_clip', segment.frames)
    return { file, ...(preview !== undefined && { shown: preview }) }
  } catch (error) {
    signal.throwIfAborted()
    // Reading the clip frame by frame tells whether and where it is damaged.
    if (!(error instanceof FarmError)) {
      for (let i = 0; i < segment.frames; i += 1) await sources.clips.show(segment.start + i)
      const isOfGpu = gpuFlags.length > 0 && error instanceof EncoderFailed
      if (isOfGpu) node.gpuDecoding.giveUp()
    }
    throw error
  }
}
