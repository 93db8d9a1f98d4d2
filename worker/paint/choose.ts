import type { FrameDescription } from '../../core/timeline/draw.ts'
import type { Canvas } from './canvas.ts'
import { createPainter } from './painter.ts'

/** Values of FARM_CANVAS: a backend by name, or `auto`. */
export const canvasChoices = ['napi', 'skia', 'auto'] as const
export type CanvasChoice = (typeof canvasChoices)[number]

type ChosenCanvas = {
  readonly canvas: Canvas
  /** Reason for the choice, for the log and for `farm doctor`. */
  readonly reason: string
}

const probeFrames = 30
const probeWidth = 1280
const probeHeight = 720
/** Frames in flight that a GPU needs to reach its full speed. */
const probeInFlight = 4

/**
 * Chooses the backend of this node. `auto` takes skia-canvas only if it has a real GPU and paints
 * the probe faster than the CPU does. Libraries are loaded only when they are probed.
 */
export async function chooseCanvas(choice: CanvasChoice): Promise<ChosenCanvas> {
  if (choice === 'napi') return { canvas: await openNapi(), reason: 'FARM_CANVAS=napi' }
  if (choice === 'skia') {
    const canvas = await openSkia()
    const device = canvas.isGpu ? canvas.device : 'no real GPU found, painting on the CPU'
    return { canvas, reason: `FARM_CANVAS=skia, ${device}` }
  }
  return chooseFaster()
}

async function chooseFaster(): Promise<ChosenCanvas> {
  const napi = await openNapi()
  let skia: Canvas
  try {
    skia = await openSkia()
  } catch (error) {
    return { canvas: napi, reason: `skia-canvas does not load here: ${messageOf(error)}` }
  }
  if (!skia.isGpu) return { canvas: napi, reason: 'skia-canvas finds no real GPU' }
  const onCpu = await probe(napi)
  const onGpu = await probe(skia)
  const times = `${onGpu.toFixed(1)} ms a frame on ${skia.device}, ${onCpu.toFixed(1)} ms on the CPU`
  return { canvas: onGpu < onCpu ? skia : napi, reason: times }
}

async function openNapi(): Promise<Canvas> {
  const { openNapiCanvas } = await import('./napi-canvas.ts')
  return openNapiCanvas()
}

async function openSkia(): Promise<Canvas> {
  const { openSkiaCanvas } = await import('./skia-canvas.ts')
  return openSkiaCanvas()
}

/**
 * Returns milliseconds per frame for a moving picture under a still one, without the first frames.
 */
export async function probe(canvas: Canvas): Promise<number> {
  const rgba = Uint8Array.from({ length: probeWidth * probeHeight * 4 }, (_, at) =>
    at % 4 === 3 ? 255 : (at * 31) % 251,
  )
  const bitmap = canvas.bitmapFromRgba({ width: probeWidth, height: probeHeight, rgba })
  const painter = createPainter({
    backend: canvas,
    width: probeWidth,
    height: probeHeight,
    bitmap: () => bitmap,
  })
  await paintAll(painter.paint, { first: 0, count: probeInFlight })
  const start = performance.now()
  await paintAll(painter.paint, { first: probeInFlight, count: probeFrames })
  return (performance.now() - start) / probeFrames
}

async function paintAll(
  paint: (frame: FrameDescription) => Promise<Buffer>,
  { first, count }: { first: number; count: number },
): Promise<void> {
  let next = first
  const paintNext = async () => {
    while (next < first + count) await paint(probeFrame(next++))
  }
  await Promise.all(Array.from({ length: probeInFlight }, paintNext))
}

function probeFrame(index: number): FrameDescription {
  const zoom = 1 + index / 500
  const pixels = { kind: 'media', digest: 'probe' } as const
  const whole = [0, 0, probeWidth, probeHeight] as const
  return {
    width: probeWidth,
    height: probeHeight,
    commands: [
      { op: 'fill', rect: whole, color: '#102030' },
      {
        op: 'picture',
        pixels,
        source: whole,
        dest: whole,
        matrix: [zoom, 0, 0, zoom, 0, 0],
        opacity: 1,
      },
      {
        op: 'picture',
        pixels,
        source: [0, 0, 640, 200],
        dest: [320, 400, 640, 200],
        matrix: [1, 0, 0, 1, 0, 0],
        opacity: 0.8,
      },
    ],
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
