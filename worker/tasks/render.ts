import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FarmError } from '../../core/errors.ts'
import { type OverClip, overClip, seenFrom } from '../../core/plan/bottom-clip.ts'
import type { Plan, Segment } from '../../core/plan/plan.ts'
import { encodedFramesOf, type Run, runsOf } from '../../core/plan/runs.ts'
import type { RenderResult, RenderSpec } from '../../core/tasks.ts'
import type { Pixels } from '../../core/timeline/draw.ts'
import type { TaskContext } from '../context.ts'
import { openFramePipe } from '../encode/frame-pipe.ts'
import { type Coding, holdFrames, keyFramesOf } from '../encode/held-frames.ts'
import type { SegmentFile } from '../encode/join.ts'
import { encodeOverClip } from '../encode/over-clip.ts'
import { createYuvConverter, type YuvConverter } from '../encode/yuv/yuv.ts'
import { toYuva } from '../encode/yuv/yuva.ts'
import type { Bitmap } from '../paint/canvas.ts'
import { createPainter, type Painter } from '../paint/painter.ts'
import { type ClipReel, ClipShelf, type OpenClip } from './clip-shelf.ts'
import { finishFilm } from './finish-film.ts'
import { PictureShelf } from './picture-shelf.ts'
import { checkCanvas, readPlan } from './read-plan.ts'
import { createStopwatch, type Stopwatch } from './stopwatch.ts'

/** Paints and encodes whole segments; with `assemble`, makes the film of them as well. */
export async function render(spec: RenderSpec, task: TaskContext): Promise<RenderResult> {
  const watch = createStopwatch()
  const plan = await readPlan(task)
  checkCanvas(plan, task)
  const segments = spec.segments.map((index) => segmentOf(plan, index))
  const work = { plan, segments, watch, keepFiles: spec.assemble }
  const files = await watch.time('segments', () => renderSegments(work, task))
  const facts = files.map(({ index, frames, bytes }) => ({ index, frames, bytes }))
  if (!spec.assemble) return { segments: facts, seconds: watch.seconds() }
  const output = await finishFilm({ plan, segments: files, watch }, task)
  return { segments: facts, output, seconds: watch.seconds() }
}

function segmentOf(plan: Plan, index: number): Segment {
  const segment = plan.segments[index]
  if (!segment)
    throw new Error(`A plan of ${plan.segments.length} segments has no segment ${index}`)
  return segment
}

type Work = {
  readonly plan: Plan
  readonly segments: readonly Segment[]
  readonly watch: Stopwatch
  /** Whether the segments are wanted after their upload. */
  readonly keepFiles: boolean
}

type RenderedSegment = SegmentFile & { readonly bytes: number }

/**
 * Encoders run on one thread, so several segments run at once, each with a painter of its own: the
 * cores are used and the bytes are the same. The first failure stops the others.
 */
async function renderSegments(
  { plan, segments, watch, keepFiles }: Work,
  task: TaskContext,
): Promise<RenderedSegment[]> {
  const shelf = new PictureShelf(
    task,
    plan,
    segments.map(({ pixels }) => pixels),
  )
  const clips = new ClipShelf(task, plan)
  const files: RenderedSegment[] = []
  const failure = new AbortController()
  const signal = AbortSignal.any([task.signal, failure.signal])
  let next = 0
  const renderNext = async () => {
    let reel: ClipReel | undefined
    const painter = painterFor(plan, task, (pixels) =>
      (pixels.kind === 'clip' && reel ? reel : shelf).bitmap(pixels),
    )
    const yuv = createYuvConverter(plan.timeline)
    while (next < segments.length && !signal.aborted) {
      const at = next
      next += 1
      const segment = segments[at]
      if (!segment) return
      const file = await task.node.lanes.run(signal, async () => {
        await watch.time('pictures', () => shelf.take(segment.pixels))
        reel = clips.reelFor(segment, signal)
        try {
          const work = { plan, segment, painter, reel, yuv, watch, shelf, clips }
          return await renderSegment(work, { ...task, signal })
        } finally {
          await reel.close()
        }
      })
      shelf.giveBack(segment.pixels)
      const { index, frames } = segment
      files[at] = { index, file, frames, bytes: (await stat(file)).size }
      await watch.time('upload', () => task.put(`segment-${index}`, file))
      if (!keepFiles) await rm(file)
    }
  }
  const lines = Array.from({ length: Math.min(task.node.lanes.count, segments.length) }, () =>
    renderNext().catch((error: unknown) => {
      failure.abort(error)
      throw error
    }),
  )
  const ended = await Promise.allSettled(lines)
  if (ended.some(({ status }) => status === 'rejected')) throw signal.reason
  return files
}

function painterFor(
  { timeline }: Plan,
  { node }: TaskContext,
  bitmap: (pixels: Pixels) => Bitmap,
): Painter {
  const { width, height } = timeline
  return createPainter({ backend: node.canvas, width, height, bitmap })
}

type SegmentWork = {
  readonly plan: Plan
  readonly segment: Segment
  readonly painter: Painter
  readonly reel: ClipReel
  readonly yuv: YuvConverter
  readonly watch: Stopwatch
  readonly shelf: PictureShelf
  readonly clips: ClipShelf
}

/** The plan alone decides which way a segment is made: both ways give nearly the same pixels. */
async function renderSegment(work: SegmentWork, task: TaskContext): Promise<string> {
  const { timeline, encoder } = work.plan
  const runs = [...runsOf(timeline, work.segment)].map((run) => ({
    ...run,
    encoded: encodedFramesOf(run, { frameRate: timeline.frameRate, encoder }),
  }))
  const isHeld = runs.some(({ frames, encoded }) => encoded < frames)
  const over = isHeld ? undefined : overClip(runs, timeline)
  if (!over) return paintSegment({ ...work, runs }, task)
  const clip = await work.clips.open(over.pixels.digest)
  if (clip.header.hasAlpha) return paintSegment({ ...work, runs }, task)
  return await renderOverClip({ ...work, ...clip, over }, task)
}

/**
 * A run of equal frames is painted once and sent as often as it is seen; of a long one the encoder
 * gets the beginning and the rest is put into its stream.
 */
async function paintSegment(
  { plan, segment, runs, ...tools }: SegmentWork & { runs: readonly (Run & Coding)[] },
  { dir, signal, progress }: TaskContext,
): Promise<string> {
  const { timeline, encoder } = plan
  const { painter, reel, yuv, watch } = tools
  const output = join(dir, `segment-${segment.index}`)
  const { width, height, frameRate } = timeline
  const format = { width, height, frameRate, encoder, keyFrames: keyFramesOf(runs) }
  const pipe = await openFramePipe(format, { output, signal })
  try {
    for (const { start, frames, encoded, commands } of runs) {
      signal.throwIfAborted()
      await watch.time('clips', () => reel.show(start))
      const rgba = await watch.time('paint', () => painter.paint({ width, height, commands }))
      const pixels = await watch.time('convert', async () => yuv.convert(rgba))
      for (let i = 0; i < encoded; i += 1) await watch.time('encode', () => pipe.write(pixels))
      progress(frames)
    }
    await watch.time('encode', () => pipe.end())
    if (runs.some(({ frames, encoded }) => encoded < frames)) {
      await watch.time('hold', () => holdFrames(output, runs))
    }
    return output
  } finally {
    await pipe.stop()
  }
}

/** Paints what lies above a clip, cropped to where anything does, when it changes. */
async function renderOverClip(
  { plan, segment, over, ...tools }: SegmentWork & { over: OverClip } & OpenClip,
  task: TaskContext,
): Promise<string> {
  const { clip, header, shelf, reel, watch } = tools
  const { node, signal, progress } = task
  const dir = join(task.dir, `over-clip-${segment.index}`)
  await mkdir(dir)
  const area = over.area ?? [0, 0, 2, 2]
  const size = { width: area[2], height: area[3] }
  const painter = createPainter({ backend: node.canvas, ...size, bitmap: (p) => shelf.bitmap(p) })
  const picture = async (at: number) => {
    const commands = seenFrom(over.above[at]?.commands ?? [], area)
    const rgba = await watch.time('paint', () => painter.paint({ ...size, commands }))
    return await watch.time('convert', async () => toYuva(rgba, size))
  }
  const work = { sandbox: node.sandbox, dir, signal, picture, progress }
  const format = { ...plan.timeline, encoder: plan.encoder }
  try {
    return await watch.time('encode', () => encodeOverClip({ over, clip, header, format }, work))
  } catch (error) {
    signal.throwIfAborted()
    // Was it the clip? Then reading it frame by frame says where.
    if (!(error instanceof FarmError)) {
      for (let i = 0; i < segment.frames; i += 1) await reel.show(segment.start + i)
    }
    throw error
  }
}
