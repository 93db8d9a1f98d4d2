import sharp, { type Sharp } from 'sharp'
import { stillPixels } from '../../core/plan/inputs.ts'
import type { OutputSettings, Plan } from '../../core/plan/plan.ts'
import type { OutputFacts, StillResult, StillSpec } from '../../core/tasks.ts'
import type { TaskContext } from '../context.ts'
import { thumbnailSide } from '../encode/video.ts'
import { freePixels } from '../paint/free-pixels.ts'
import { paintFrame, unpremultiplied } from './paint-frame.ts'
import { readPlan } from './read-plan.ts'
import { createStopwatch, type Stopwatch } from './stopwatch.ts'
import { jpegOf } from './thumbnail.ts'

/** Paints one still and writes it as the plan's format. */
export async function still(_: StillSpec, task: TaskContext): Promise<StillResult> {
  const watch = createStopwatch(task.span)
  const plan = await readPlan(task)
  const output = await makeStill({ plan, watch }, task)
  return { output, seconds: watch.seconds() }
}

/** Uploads `output` and `thumbnail`. */
export async function makeStill(
  { plan, watch }: { plan: Plan; watch: Stopwatch },
  task: TaskContext,
): Promise<OutputFacts> {
  const { width, height } = plan.timeline
  const pictures = stillPixels(plan)
  const painted = await watch.part('paint', () => paintFrame(plan, { frame: 0, pictures }, task))
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
  freePixels(raw)
  freePixels(painted)
  await watch.part('upload', () =>
    Promise.all([task.put('output', output), task.put('thumbnail', thumbnail)]),
  )
  return { bytes: output.length, duration: 0, frames: 1, width, height }
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
