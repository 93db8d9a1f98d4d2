import { stat } from 'node:fs/promises'
import type { Plan, Segment } from '../../core/plan/plan.ts'
import type { OutputFacts, RenderResult, RenderSpec } from '../../core/queue/tasks.ts'
import type { Pixels } from '../../core/timeline/draw.ts'
import { allEnded } from '../../runtime/all-ended.ts'
import type { TaskContext } from '../context.ts'
import type { SegmentFile } from '../encode/join.ts'
import { createYuvConverter } from '../encode/yuv/yuv.ts'
import type { MovingSources, SegmentWork } from '../frames/frame-source.ts'
import { renderSegment } from '../frames/segment.ts'
import type { Bitmap } from '../paint/canvas.ts'
import { Composer } from '../paint/layers/composer.ts'
import { createPainter, type Painter } from '../paint/painter.ts'
import { type FilmSound, fetchSound, makeSound } from '../sound/film-sound.ts'
import { AnimationFrames, isAnimationFrame } from '../sources/animation-frames.ts'
import { ClipSources } from '../sources/clip-sources.ts'
import { PictureStore } from '../sources/picture-store.ts'
import { type EarlyThumbnail, openEarlyThumbnail } from './early-thumbnail.ts'
import { finishFilm } from './finish-film.ts'
import { openPreview, type Preview } from './preview.ts'
import { checkCanvas, readPlan } from './read-plan.ts'
import { cacheSegment } from './segment-cache.ts'
import { SegmentQueue } from './segment-queue.ts'
import { createStopwatch, type Stopwatch, timesOf } from './stopwatch.ts'

/**
 * Paints and encodes whole segments and, beside them, sound; with `assemble`, also makes the film.
 */
export async function render(spec: RenderSpec, task: TaskContext): Promise<RenderResult> {
  const watch = createStopwatch(task.span)
  const plan = await readPlan(task)
  checkCanvas(plan, task)
  const segments = spec.segments.map((index) => segmentOf(plan, index))
  const preview = spec.preview ? openPreview(task) : undefined
  const isWhole = spec.assemble
  const isWanted = isWhole || spec.thumbnail === true
  const early = isWanted ? openEarlyThumbnail(plan, { isWhole }, task) : undefined
  const work = { plan, segments, watch, keepFiles: isWhole, upload: true, preview, early }
  const [files, { sound, kept }] = await allEnded([
    watch.time('segments', () => renderSegments(work, task)),
    soundOf(spec, { plan, watch, task }),
  ]).finally(() => early?.ended())
  await watch.time('preview', async () => preview?.written())
  const thumbnail = await early?.written()
  const segmentFacts = files.map(({ index, frames, bytes }) => ({ index, frames, bytes }))
  const facts = { segments: segmentFacts, ...kept }
  if (!isWhole) {
    if (thumbnail !== undefined) await task.put('thumbnail', thumbnail)
    return { ...facts, thumbnail: thumbnail !== undefined, ...timesOf(watch) }
  }
  const film = { plan, segments: filmOf(plan, files), sound, thumbnail, watch }
  return { ...facts, output: await finishFilm(film, task), ...timesOf(watch) }
}

/** Renders a whole film and uploads it as `output`, with its `thumbnail`; its segments are not kept. */
export async function makeFilm(
  { plan, watch }: { plan: Plan; watch: Stopwatch },
  task: TaskContext,
): Promise<OutputFacts> {
  checkCanvas(plan, task)
  const distinct = new Map(plan.segments.map((segment) => [segment.fingerprint, segment]))
  const segments = [...distinct.values()]
  const work = { plan, segments, watch, keepFiles: true, upload: false }
  const [files, sound] = await allEnded([
    watch.time('segments', () => renderSegments(work, task)),
    watch.part('sound', () => makeSound(plan, task)),
  ])
  return await finishFilm({ plan, segments: filmOf(plan, files), sound, watch }, task)
}

type RenderedSound = { readonly sound: FilmSound; readonly kept: Pick<RenderResult, 'soundBytes'> }

/**
 * Returns the film's sound. Sound encoded here is stored at once for other films that sound the
 * same.
 */
async function soundOf(
  spec: RenderSpec,
  { plan, watch, task }: { plan: Plan; watch: Stopwatch; task: TaskContext },
): Promise<RenderedSound> {
  if (spec.soundStored) {
    return { sound: await watch.part('download', () => fetchSound(task)), kept: {} }
  }
  if (!spec.assemble && !spec.sound) return { sound: { clips: [] }, kept: {} }
  const made = await watch.part('sound', () => makeSound(plan, task))
  if (!spec.sound || made.sound === undefined) return { sound: made, kept: {} }
  await task.put('sound', made.sound)
  task.written('sound')
  return { sound: made, kept: { soundBytes: (await stat(made.sound)).size } }
}

/** Returns each segment of the film with its file; equal segments share one. */
function filmOf({ segments }: Plan, files: readonly SegmentFile[]): SegmentFile[] {
  const made = new Map(files.map(({ index, file }) => [segments[index]?.fingerprint, file]))
  return segments.map(({ index, frames, fingerprint }) => {
    const file = made.get(fingerprint)
    if (file === undefined) throw new Error(`A whole film must have segment ${index}. It does not`)
    return { index, frames, file }
  })
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
  /** Keeps the segments' files after rendering. */
  readonly keepFiles: boolean
  /** Uploads each segment to the store. */
  readonly upload: boolean
  readonly preview?: Preview | undefined
  readonly early?: EarlyThumbnail | undefined
}

type RenderedSegment = SegmentFile & { readonly bytes: number }

/**
 * Renders several segments at once, as encoders run on one thread, each with a painter of its own:
 * this uses all cores and gives the same bytes. The first failure stops the others.
 */
async function renderSegments(
  { plan, segments, watch, keepFiles, upload, preview, early }: Work,
  task: TaskContext,
): Promise<RenderedSegment[]> {
  const pictureStore = new PictureStore(
    task,
    plan,
    segments.map(({ pixels }) => pixels),
  )
  const clips = new ClipSources(task, plan)
  const encodedStills: SegmentWork['encodedStills'] = new Map()
  const files: RenderedSegment[] = []
  const failure = new AbortController()
  const signal = AbortSignal.any([task.signal, failure.signal])
  const queue = new SegmentQueue(segments, task.wanted)
  const renderNext = async () => {
    let sources: MovingSources | undefined
    const bitmap = (pixels: Pixels) => {
      if (sources && pixels.kind === 'clip') return sources.clips.bitmap(pixels)
      return (sources && isAnimationFrame(pixels) ? sources.animationFrames : pictureStore).bitmap(
        pixels,
      )
    }
    const painter = painterFor(plan, task, bitmap)
    const yuv = createYuvConverter(plan.timeline)
    const composer = composerFor(plan, task, bitmap)
    const turn = { ...task, signal, group: task.jobId, size: () => queue.nextSize() }
    while (!signal.aborted && queue.promise()) {
      const { at, segment, file, last, shown } = await task.node.lanes.run(turn, async () => {
        const at = queue.take()
        const segment = segmentAt(segments, at)
        const inside = { ...task, signal }
        sources = {
          clips: clips.readerFor(segment, signal),
          animationFrames: new AnimationFrames(inside, plan.timeline, segment),
        }
        try {
          const tools = {
            plan,
            segment,
            painter,
            composer,
            sources,
            yuv,
            watch,
            pictureStore,
            clips,
            bitmap,
            encodedStills,
          }
          const work = { ...tools, isPreviewed: preview !== undefined }
          const made = await task.span.part('segment', (span) =>
            renderSegment({ ...work, span }, inside),
          )
          return { ...made, at, segment }
        } finally {
          await sources.clips.close()
        }
      })
      pictureStore.release(segment.pixels)
      const { index, frames } = segment
      files[at] = { index, file, frames, bytes: (await stat(file)).size }
      task.notes.info({ segment: index, frames, bytes: files[at].bytes }, 'segment rendered')
      if (last) preview?.show(last)
      if (shown !== undefined) preview?.showFile(shown)
      await early?.take(segment, file)
      if (upload) {
        await watch.part('upload', () => task.put(`segment-${index}`, file))
        task.written(`segment-${index}`)
      }
      if (!keepFiles) await cacheSegment(segment, file, task)
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

function segmentAt(segments: readonly Segment[], at: number): Segment {
  const segment = segments[at]
  if (!segment) throw new Error(`A shard of ${segments.length} segments has none at ${at}`)
  return segment
}

function painterFor(
  { timeline }: Plan,
  { node }: TaskContext,
  bitmap: (pixels: Pixels) => Bitmap,
): Painter {
  const { width, height } = timeline
  return createPainter({ backend: node.canvas, copies: node.copies, width, height, bitmap })
}

function composerFor(
  { timeline }: Plan,
  { node }: TaskContext,
  bitmap: (pixels: Pixels) => Bitmap,
): Composer {
  const { width, height } = timeline
  return new Composer({ canvas: node.canvas, copies: node.copies, width, height, bitmap })
}
