import sharp, { type Sharp } from 'sharp'
import { stillPixels } from '../../core/plan/inputs.ts'
import type { OutputSettings, Plan } from '../../core/plan/plan.ts'
import type { OutputFacts, StillResult, StillSpec } from '../../core/queue/tasks.ts'
import type { TaskContext } from '../context.ts'
import { paintFrame, type RawPixels, unpremultiplied } from '../frames/paint-frame.ts'
import { freePixels } from '../paint/free-pixels.ts'
import { readPlan } from './read-plan.ts'
import { createStopwatch, type Stopwatch } from './stopwatch.ts'
import { thumbnailOf } from './thumbnail.ts'

/** Paints one still and writes it as the plan's format. */
export async function still(_: StillSpec, task: TaskContext): Promise<StillResult> {
  const watch = createStopwatch(task.span)
  const plan = await readPlan(task)
  const made = await makeStill({ plan, watch }, task)
  await watch.part('upload', () => uploadStill(made, task))
  return { output: made.facts, seconds: watch.seconds() }
}

type MadeStill = {
  readonly facts: OutputFacts
  readonly output: Buffer
  readonly thumbnail: Buffer
}

export async function makeStill(
  { plan, watch }: { plan: Plan; watch: Stopwatch },
  task: TaskContext,
): Promise<MadeStill> {
  const { width, height } = plan.timeline
  const pictures = stillPixels(plan)
  const painted = await watch.part('paint', () => paintFrame(plan, { frame: 0, pictures }, task))
  task.progress(1)
  task.node.metrics.framesRendered('painted', 1)
  // A still that is not transparent has an opaque background.
  const pixels = plan.output.transparent ? unpremultiplied(painted.pixels) : painted.pixels
  const picture = { pixels, width, height }
  const [output, thumbnail] = await watch.part('encode', () =>
    Promise.all([encodeStill(picture, plan.output, task), thumbnailOf(painted.small)]),
  )
  freePixels(pixels)
  freePixels(painted.pixels)
  const facts = { bytes: output.length, duration: 0, frames: 1, width, height }
  return { facts, output, thumbnail }
}

export async function uploadStill(
  { output, thumbnail }: MadeStill,
  task: TaskContext,
): Promise<void> {
  await Promise.all([task.put('output', output), task.put('thumbnail', thumbnail)])
}

function sharpOf({ pixels, width, height }: RawPixels): Sharp {
  return sharp(pixels, { raw: { width, height, channels: 4 } })
}

function encodeStill(
  picture: RawPixels,
  { format, quality, transparent }: OutputSettings,
  { node, accountId }: TaskContext,
): Promise<Buffer> {
  switch (format) {
    case 'png':
      return node.pngs.write({ ...picture, channels: transparent ? 4 : 3 }, accountId)
    case 'jpg':
      return sharpOf(picture)
        .flatten({ background: '#ffffff' })
        .jpeg({ quality, chromaSubsampling: '4:4:4' })
        .toBuffer()
    case 'webp': {
      const shown = transparent ? sharpOf(picture) : sharpOf(picture).removeAlpha()
      return shown.webp({ quality }).toBuffer()
    }
    case 'mp4':
    case 'mov':
    case 'webm':
    case 'avi':
      throw new Error(`A still must be png, jpg or webp. Got ${format}`)
    default:
      return format satisfies never
  }
}
