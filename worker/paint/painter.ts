import type { FrameDescription, Pixels } from '../../core/timeline/draw.ts'
import type { Size } from '../../core/timeline/rect.ts'
import type { BitmapCache } from './bounded-cache.ts'
import type { Bitmap, Canvas, Surface } from './canvas.ts'
import { paintCommands } from './commands.ts'
import { Masks } from './masks.ts'
import { Pictures } from './pictures.ts'
import { blendTransitions } from './pixel-transitions.ts'
import { readSmall } from './small.ts'
import { StaticLayerCache } from './static-layer-cache.ts'
import { SurfacePools } from './surface-pool.ts'

export type Painter = {
  /**
   * Returns the frame as premultiplied RGBA, `width * height * 4` bytes, rows top first. Several
   * calls may be in flight. Throws what `bitmap` throws for pixels that are not loaded.
   */
  paint(frame: FrameDescription): Promise<Buffer>
  /** Paints the frame and also returns it in another size over white: opaque RGBA. */
  paintTwice(frame: FrameDescription, small: Size): Promise<{ pixels: Buffer; small: Buffer }>
}

type PainterContext = {
  readonly backend: Canvas
  /** Canvas size in px; every frame must have it. */
  readonly width: number
  readonly height: number
  /**
   * Size of the whole frame, of which this paints a part. Static pictures are scaled as for the
   * whole; absent = its own size.
   */
  readonly whole?: Size
  /** Returns the picture for its pixels, made by the same backend. */
  readonly bitmap: (pixels: Pixels) => Bitmap
  /** Copies shared with other painters (`createCopies`); absent = its own. */
  readonly copies?: BitmapCache
  /** Surfaces shared with other painters; absent = its own. */
  readonly surfaces?: SurfacePools
}

/**
 * Creates a painter: the same list gives the same bytes, whatever was painted before. Its caches
 * between frames (reduced pictures, masks, static layers) hold only reproducible results.
 */
export function createPainter(context: PainterContext): Painter {
  const { backend, width, height } = context
  const pictures = new Pictures(context)
  const masks = new Masks(backend)
  const pools = context.surfaces ?? new SurfacePools(backend)
  const surfaces = pools.ofSize(width, height)
  const staticLayers = new StaticLayerCache(context)
  const seen = [0, 0, width, height] as const

  const painted = async (frame: FrameDescription): Promise<Surface> => {
    if (frame.width !== width || frame.height !== height) {
      throw new Error(
        `A frame must be as large as its painter. Got ${frame.width}x${frame.height}, but the painter is ${width}x${height}`,
      )
    }
    const filtered = await pictures.prepare(frame.commands)
    const tools = { pictures, filtered, masks, scratch: surfaces }
    const blended = await blendTransitions(frame.commands, {
      ...{ backend, pools, paintTools: tools, seen },
      paint: paintCommands,
    })
    const target = surfaces.take()
    staticLayers.paint(target.context, frame.commands, { ...tools, blended })
    return target
  }

  return {
    async paint(frame) {
      const target = await painted(frame)
      const pixels = await backend.readPixels(target)
      surfaces.give(target)
      return pixels
    },
    async paintTwice(frame, to) {
      const target = await painted(frame)
      const small = await readSmall(target, { backend, pools, from: { width, height }, to })
      const pixels = await backend.readPixels(target)
      surfaces.give(target)
      return { pixels, small }
    },
  }
}
