import sharp, { type Sharp } from 'sharp'
import { stillPixels } from '../../core/plan/make-plan.ts'
import type { OutputSettings } from '../../core/plan/plan.ts'
import type { StillResult, StillSpec } from '../../core/tasks.ts'
import { describeFrame } from '../../core/timeline/frame.ts'
import type { TaskContext } from '../context.ts'
import { thumbnailSide } from '../encode/video.ts'
import { createPainter } from '../paint/painter.ts'
import { isMoment, MomentReel } from './moment-reel.ts'
import { PictureShelf } from './picture-shelf.ts'
import { checkCanvas, readPlan } from './read-plan.ts'
import { createStopwatch } from './stopwatch.ts'
import { jpegOf } from './thumbnail.ts'

/** Paints one still and writes it as the plan's format. */
export async function still(_: StillSpec, task: TaskContext): Promise<StillResult> {
  const watch = createStopwatch(task.span)
  const plan = await readPlan(task)
  checkCanvas(plan, task)
  const { width, height } = plan.timeline
  const digests = stillPixels(plan)
  const shelf = new PictureShelf(task, plan, [digests])
  const moments = new MomentReel(task, plan.timeline, { start: 0, frames: 1 })
  await watch.part('pictures', () => Promise.all([shelf.take(digests), moments.show(0)]))
  const painter = createPainter({
    backend: task.node.canvas,
    copies: task.node.copies,
    width,
    height,
    bitmap: (pixels) => (isMoment(pixels) ? moments : shelf).bitmap(pixels),
  })
  const painted = await watch.part('paint', () => painter.paint(describeFrame(plan.timeline, 0)))
  task.progress(1)
  task.node.metrics.framesRendered('painted', 1)
  const raw = unpremultiplied(painted)
  const picture = () => sharp(raw, { raw: { width, height, channels: 4 } })
  const [output, thumbnail] = await watch.part('encode', () =>
    Promise.all([
      encodeStill(picture(), plan.output).toBuffer(),
      jpegOf(picture(), thumbnailSide).toBuffer(),
    ]),
  )
  await watch.part('upload', () =>
    Promise.all([task.put('output', output), task.put('thumbnail', thumbnail)]),
  )
  const facts = { bytes: output.length, duration: 0, frames: 1, width, height }
  return { output: facts, seconds: watch.seconds() }
}

/**
 * Of a photograph with text, 1200x630: 0.54 MB in 29 ms; the defaults (no filter, level 6) give
 * 0.83 MB in 18, level 6 with filters 0.51 in 47 (docs/PERFORMANCE.md).
 */
const pngSettings = { adaptiveFiltering: true, compressionLevel: 2 } as const

function encodeStill(picture: Sharp, { format, quality, transparent }: OutputSettings): Sharp {
  switch (format) {
    case 'png':
      return (transparent ? picture : picture.removeAlpha()).png(pngSettings)
    case 'jpg':
      return picture
        .flatten({ background: '#ffffff' })
        .jpeg({ quality, chromaSubsampling: '4:4:4' })
    case 'webp':
      return (transparent ? picture : picture.removeAlpha()).webp({ quality })
    case 'mp4':
    case 'mov':
    case 'webm':
    case 'avi':
      throw new Error(`A still must be png, jpg or webp. Got ${format}`)
    default:
      return format satisfies never
  }
}

/** Painters multiply colour by alpha; files hold straight colour. */
export function unpremultiplied(painted: Buffer): Buffer {
  const straight = Buffer.from(painted)
  for (let at = 0; at < straight.length; at += 4) {
    const alpha = straight[at + 3] ?? 0
    if (alpha === 0 || alpha === 255) continue
    for (let channel = at; channel < at + 3; channel += 1) {
      straight[channel] = Math.min(255, Math.round(((straight[channel] ?? 0) * 255) / alpha))
    }
  }
  return straight
}
