import sharp from 'sharp'
import { framePixels } from '../../core/plan/fingerprint.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { Pixels } from '../../core/timeline/draw.ts'
import { describeFrame } from '../../core/timeline/frame.ts'
import type { Size } from '../../core/timeline/rect.ts'
import { elementsOf } from '../../core/timeline/timeline.ts'
import { allEnded } from '../../runtime/all-ended.ts'
import type { TaskContext } from '../context.ts'
import { freePixels } from '../paint/free-pixels.ts'
import { createPainter } from '../paint/painter.ts'
import { AnimationFrames, isAnimationFrame } from '../sources/animation-frames.ts'
import { type ClipFrameReader, ClipSources } from '../sources/clip-sources.ts'
import { PictureStore } from '../sources/picture-store.ts'
import { checkCanvas } from '../tasks/read-plan.ts'
import { type RawPixels, unpremultiplied } from './paint-frame.ts'

/** Sources of the frame that is being painted. */
type Sources = { readonly clips: ClipFrameReader; readonly animationFrames: AnimationFrames }

/** Scales with Lanczos, which keeps small letters legible; what is transparent becomes white. */
async function reduced({ pixels, ...raw }: RawPixels, size: Size): Promise<RawPixels> {
  const straight = unpremultiplied(pixels)
  const small = await sharp(straight, { raw: { ...raw, channels: 4 } })
    .flatten({ background: '#ffffff' })
    .resize({ ...size, fit: 'fill' })
    .ensureAlpha()
    .raw()
    .toBuffer()
  if (straight !== pixels) freePixels(straight)
  return { pixels: small, ...size }
}

/**
 * Paints single frames of a plan in full size, and returns each reduced to `size`, opaque, in the
 * order of `frames`. A clip is opened anew at each frame, near its key frame: the frames lie far
 * apart.
 */
export async function paintSmallFrames(
  plan: Plan,
  { frames, size }: { frames: readonly number[]; size: Size },
  task: TaskContext,
): Promise<RawPixels[]> {
  checkCanvas(plan, task)
  const { timeline } = plan
  const { width, height } = timeline
  const clipped = new Set(
    elementsOf(timeline).flatMap(({ pixels }) => (pixels.kind === 'clip' ? [pixels.digest] : [])),
  )
  const read = frames.map((frame) => framePixels(timeline, frame))
  const stills = read.map((digests) => digests.filter((digest) => !clipped.has(digest)))
  const pictureStore = new PictureStore(task, plan, stills)
  const clipSources = new ClipSources(task, plan)
  let sources: Sources | undefined
  const bitmap = (pixels: Pixels) => {
    if (!sources) throw new Error('Sources must be open while a frame is painted. They are not')
    if (pixels.kind === 'clip') return sources.clips.bitmap(pixels)
    return (isAnimationFrame(pixels) ? sources.animationFrames : pictureStore).bitmap(pixels)
  }
  const { canvas: backend, copies, surfaces } = task.node
  const painter = createPainter({ backend, copies, surfaces, width, height, bitmap })
  const painted: RawPixels[] = []
  for (const [at, frame] of frames.entries()) {
    task.signal.throwIfAborted()
    const range = { start: frame, frames: 1 }
    const clips = clipSources.readerFor({ ...range, pixels: read[at] ?? [] }, task.signal)
    const animationFrames = new AnimationFrames(task, timeline, range)
    const digests = stills[at] ?? []
    try {
      await allEnded([
        pictureStore.acquire(digests),
        clips.show(frame),
        animationFrames.show(frame),
      ])
      sources = { clips, animationFrames }
      const pixels = await painter.paint(describeFrame(timeline, frame))
      painted.push(await reduced({ pixels, width, height }, size))
      freePixels(pixels)
    } finally {
      pictureStore.release(digests)
      await clips.close()
    }
    task.progress(1)
    task.node.metrics.framesRendered('painted', 1)
  }
  return painted
}
