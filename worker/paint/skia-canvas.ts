import { tmpdir } from 'node:os'
import { type EngineDetails, ImageData, Canvas as SkiaCanvas } from 'skia-canvas'
import type { Bitmap, Canvas, Context2D, StraightPixels, Surface } from './canvas.ts'

/** Vulkan drivers that run on the CPU; the library still calls them a GPU. */
const softwareDevice = /llvmpipe|lavapipe|swiftshader|software rasterizer/i

export function isRealGpu(engine: Pick<EngineDetails, 'renderer' | 'device'>): boolean {
  return engine.renderer === 'GPU' && !softwareDevice.test(engine.device)
}

/**
 * Opens Skia on Vulkan or Metal. `device`: `real` takes a real GPU, else the CPU; `any` takes a
 * software Vulkan device too, which lets machines without a GPU test that path; `cpu` takes none.
 * `isGpu` is true only for a real one.
 */
export function openSkiaCanvas({
  device = 'real',
}: {
  device?: 'real' | 'any' | 'cpu'
} = {}): Canvas {
  // Folder of a window system, which no server has; without it Vulkan's loader would complain on
  // stderr.
  process.env.XDG_RUNTIME_DIR ??= tmpdir()
  const { engine } = new SkiaCanvas(1, 1)
  const isGpu = device !== 'cpu' && isRealGpu(engine)
  const gpu = isGpu || (device === 'any' && engine.renderer === 'GPU')
  const open = (width: number, height: number) => {
    const canvas = new SkiaCanvas(width, height)
    canvas.gpu = gpu
    return canvas
  }
  const canvases = new WeakMap<Surface | Bitmap, SkiaCanvas>()
  return {
    name: 'skia',
    device: gpu ? engine.device : 'CPU',
    isGpu,
    // A surface drawn on another is rasterised by other rules on a GPU than one that is read.
    layersAreExact: !gpu,
    createSurface(width, height) {
      const canvas = open(width, height)
      const surface: Surface = { bitmap: canvas, context: contextOf(canvas) }
      canvases.set(surface, canvas).set(canvas, canvas)
      return surface
    },
    bitmapFromRgba: ({ width, height, rgba }: StraightPixels): Bitmap => {
      const canvas = open(width, height)
      const clamped = new Uint8ClampedArray(rgba.buffer, rgba.byteOffset, rgba.byteLength)
      canvas.getContext('2d').putImageData(new ImageData(clamped, width, height), 0, 0)
      canvases.set(canvas, canvas)
      return canvas
    },
    async readPixels(from) {
      const canvas = canvases.get(from)
      if (!canvas) throw new Error('A surface must be read by the backend that made it')
      return canvas.toBuffer('raw', { premultiplied: true })
    },
  }
}

/**
 * `drawImage` takes more than bitmaps here, contexts too, so TypeScript cannot compare its type.
 */
function contextOf(canvas: SkiaCanvas): Context2D {
  const context = canvas.getContext('2d') satisfies Omit<Context2D, 'drawImage'>
  return context as unknown as Context2D
}
