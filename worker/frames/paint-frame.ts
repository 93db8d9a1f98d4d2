import type { Plan } from '../../core/plan/plan.ts'
import type { Pixels } from '../../core/timeline/draw.ts'
import { describeFrame } from '../../core/timeline/frame.ts'
import { allEnded } from '../../runtime/all-ended.ts'
import type { TaskContext } from '../context.ts'
import { thumbnailSide } from '../encode/video.ts'
import { createPainter } from '../paint/painter.ts'
import { sizeWithin } from '../paint/small.ts'
import { AnimationFrames, isAnimationFrame } from '../sources/animation-frames.ts'
import { PictureStore } from '../sources/picture-store.ts'
import { checkCanvas } from '../tasks/read-plan.ts'

/** Painted frame as premultiplied RGBA. */
export type PaintedFrame = {
  readonly pixels: Buffer
  /** Frame for a thumbnail, opaque. */
  readonly small: RawPixels
}

/** RGBA pixels. */
export type RawPixels = {
  readonly pixels: Buffer
  /** Px. */
  readonly width: number
  readonly height: number
}

/** Paints one frame of a plan that shows only `pictures` and no clip. */
export async function paintFrame(
  plan: Plan,
  { frame, pictures }: { frame: number; pictures: readonly string[] },
  task: TaskContext,
): Promise<PaintedFrame> {
  checkCanvas(plan, task)
  const pictureStore = new PictureStore(task, plan, [pictures])
  const animationFrames = new AnimationFrames(task, plan.timeline, { start: frame, frames: 1 })
  await allEnded([pictureStore.acquire(pictures), animationFrames.show(frame)])
  const { width, height } = plan.timeline
  const { canvas: backend, copies, surfaces } = task.node
  const bitmap = (pixels: Pixels) =>
    (isAnimationFrame(pixels) ? animationFrames : pictureStore).bitmap(pixels)
  const painter = createPainter({ backend, copies, surfaces, width, height, bitmap })
  const size = sizeWithin(plan.timeline, thumbnailSide)
  const { pixels, small } = await painter.paintTwice(describeFrame(plan.timeline, frame), size)
  return { pixels, small: { pixels: small, ...size } }
}

/**
 * Converts to straight RGBA for files: painters multiply colour by alpha. Returns the same buffer
 * when nothing is translucent.
 */
export function unpremultiplied(painted: Buffer): Buffer {
  const first = firstTranslucent(painted)
  if (first === undefined) return painted
  const straight = Buffer.from(painted)
  for (let at = first; at < straight.length; at += 4) {
    const alpha = straight[at + 3] ?? 0
    if (alpha === 0 || alpha === 255) continue
    for (let channel = at; channel < at + 3; channel += 1) {
      straight[channel] = Math.min(255, Math.round(((straight[channel] ?? 0) * 255) / alpha))
    }
  }
  return straight
}

/** Returns the offset of the first pixel that is neither opaque nor fully transparent. */
function firstTranslucent({ buffer, byteOffset, byteLength }: Buffer): number | undefined {
  const pixels = new Uint32Array(buffer, byteOffset, byteLength / 4)
  for (let at = 0; at < pixels.length; at += 1) {
    const alpha = (pixels[at] ?? 0) >>> 24
    if (alpha !== 255 && alpha !== 0) return at * 4
  }
  return undefined
}
