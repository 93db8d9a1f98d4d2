import type { CanvasSettings } from '../../core/plan/plan.ts'

/**
 * What the painter needs of a canvas library. Every backend passes the case table in
 * test/worker/paint/canvas.test.ts.
 */

/**
 * Something that can be drawn; `width` and `height` in px. Only the backend that made it can draw
 * it.
 */
export type Bitmap = { readonly width: number; readonly height: number }

/** A picture as straight-alpha RGBA bytes, rows top first, no padding. */
export type StraightPixels = {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array | Uint8ClampedArray
}

/**
 * The part of CanvasRenderingContext2D that painting uses. `imageSmoothingEnabled` samples
 * bilinearly at quality `low`, which is the only quality that is cheap and the same on both
 * backends.
 */
export type Context2D = {
  globalAlpha: number
  globalCompositeOperation: string
  imageSmoothingEnabled: boolean
  imageSmoothingQuality: 'low' | 'medium' | 'high'
  fillStyle: string | object
  /** Clears the surface to transparent and the state to its defaults. */
  reset(): void
  save(): void
  restore(): void
  setTransform(a: number, b: number, c: number, d: number, e: number, f: number): void
  fillRect(x: number, y: number, width: number, height: number): void
  beginPath(): void
  rect(x: number, y: number, width: number, height: number): void
  roundRect(x: number, y: number, width: number, height: number, radii: number[]): void
  clip(): void
  drawImage(image: Bitmap, x: number, y: number): void
  drawImage(
    image: Bitmap,
    sourceX: number,
    sourceY: number,
    sourceWidth: number,
    sourceHeight: number,
    x: number,
    y: number,
    width: number,
    height: number,
  ): void
}

/**
 * Pixels that can be painted on. `bitmap` draws them elsewhere, as they are at that moment: what is
 * painted afterwards does not show there.
 */
export type Surface = { readonly bitmap: Bitmap; readonly context: Context2D }

export type Canvas = {
  readonly name: CanvasSettings['backend']
  /** The device as the library names it. */
  readonly device: string
  /** Whether a real GPU paints; software Vulkan is not one. */
  readonly isGpu: boolean
  /**
   * Whether painting some commands, drawing that surface on another and painting the rest there
   * gives the same bytes as painting all of them on one surface.
   */
  readonly layersAreExact: boolean
  /** A transparent surface. */
  createSurface(width: number, height: number): Surface
  /**
   * Copies `rgba`, which may be used again at once. `into`: a bitmap of the same size that this method made and nobody
   * draws any more; it may be given the new pixels and answered, so that megabytes are not allocated anew.
   */
  bitmapFromRgba(pixels: StraightPixels, into?: Bitmap): Bitmap
  /**
   * Premultiplied RGBA of a surface or bitmap of this backend, rows top first. Several may be in flight; a surface must
   * not be painted on until its own has come.
   */
  readPixels(from: Surface | Bitmap): Promise<Buffer>
}
