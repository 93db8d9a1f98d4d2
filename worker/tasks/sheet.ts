import { layOut, type SheetLayout } from '../../core/plan/sheet.ts'
import type { SheetFacts, SheetResult, SheetSpec } from '../../core/queue/tasks.ts'
import { bestJpeg } from '../../runtime/best-jpeg.ts'
import { loadSheetCanvas, type SheetContext, sheetLook } from '../../runtime/sheet-canvas.ts'
import type { TaskContext } from '../context.ts'
import type { RawPixels } from '../frames/paint-frame.ts'
import { paintSmallFrames } from '../frames/small-frames.ts'
import { freePixels } from '../paint/free-pixels.ts'
import { readPlan } from './read-plan.ts'
import { createStopwatch } from './stopwatch.ts'

/** Paints frames of a film, small, on one sheet with their times. */
export async function sheet(spec: SheetSpec, task: TaskContext): Promise<SheetResult> {
  const watch = createStopwatch(task.span)
  const plan = await readPlan(task)
  const { moments, hasTimes, frame: size, maxBytes } = spec
  const frames = [...new Set(moments.map(({ frame }) => frame))].sort((a, b) => a - b)
  const { jpeg, facts } = await task.node.lanes.run(task, async () => {
    const painted = await watch.part('paint', () => paintSmallFrames(plan, { frames, size }, task))
    const layout = layOut(size, { count: moments.length, hasTimes })
    const pictures = moments.map(({ frame }) => painted[frames.indexOf(frame)] as RawPixels)
    const drawn = await draw({ layout, pictures, seconds: moments.map(({ seconds }) => seconds) })
    for (const { pixels } of painted) freePixels(pixels)
    return await watch.part('encode', () => encode(drawn, { layout, size, maxBytes }))
  })
  await watch.part('upload', () => task.put('sheet', jpeg))
  return { sheet: facts, seconds: watch.seconds() }
}

/** Px from the bottom of a frame to the line its time stands on. */
const timeBaseline = 14

/** Draws the sheet with the library that every node has, whatever canvas paints its frames. */
async function draw({
  layout,
  pictures,
  seconds,
}: {
  layout: SheetLayout
  pictures: readonly RawPixels[]
  seconds: readonly number[]
}): Promise<RawPixels> {
  const { createCanvas, ImageData } = await loadSheetCanvas()
  const { width, height, places, labelHeight } = layout
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = sheetLook.background
  context.fillRect(0, 0, width, height)
  for (const [at, { x, y }] of places.entries()) {
    const picture = pictures[at]
    if (!picture) continue
    const { buffer, byteOffset, byteLength } = picture.pixels
    const rgba = new Uint8ClampedArray(buffer as ArrayBuffer, byteOffset, byteLength)
    context.putImageData(new ImageData(rgba, picture.width, picture.height), x, y)
    if (labelHeight === 0) continue
    const middle = { x: x + picture.width / 2, y: y + picture.height }
    writeTime(context, { ...middle, seconds: seconds[at] ?? 0 })
  }
  return { pixels: canvas.data(), width, height }
}

function writeTime(
  context: SheetContext,
  { x, y, seconds }: { x: number; y: number; seconds: number },
): void {
  context.fillStyle = sheetLook.label
  context.font = sheetLook.font
  context.textAlign = 'center'
  context.fillText(`${Math.round(seconds * 100) / 100} s`, x, y + timeBaseline)
}

/** JPEG qualities that are tried, and the scale of the next try if none fits. */
const qualities = [99, 96, 92, 88, 84, 80, 75, 70, 65, 60, 55, 50, 45, 40]
const smaller = 0.85

type Encoding = {
  readonly layout: SheetLayout
  readonly size: SheetFacts['frame']
  readonly maxBytes: number
}

/** Encodes in the highest quality that fits; where none does, the sheet is reduced as a whole. */
async function encode(
  drawn: RawPixels,
  { layout, size, maxBytes }: Encoding,
): Promise<{ jpeg: Buffer; facts: SheetFacts }> {
  for (let scale = 1; ; scale *= smaller) {
    const scaled = (px: number) => Math.max(1, Math.round(px * scale))
    const to = { width: scaled(layout.width), height: scaled(layout.height) }
    const made = await bestJpeg(drawn, { to, qualities, maxBytes })
    if (!made) continue
    const facts = {
      ...{ bytes: made.jpeg.length, ...to, quality: made.quality },
      frame: { width: scaled(size.width), height: scaled(size.height) },
      places: layout.places.map(({ x, y }) => ({
        ...{ x: Math.round(x * scale), y: Math.round(y * scale) },
      })),
    }
    return { jpeg: made.jpeg, facts }
  }
}
