import type { CanvasSettings } from '../../core/plan/plan.ts'

/**
 * Abstracts the canvas library for the painter. Every backend passes the case table in
 * test/worker/paint/canvas.test.ts.
 */

/** Drawable picture; `width` and `height` in px. Only the backend that made it can draw it. */
export type Bitmap = { readonly width: number; readonly height: number }

/** Picture as straight-alpha RGBA bytes, rows top first, no padding. */
export type StraightPixels = {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array | Uint8ClampedArray
}

/**
 * Part of CanvasRenderingContext2D that painting uses. `imageSmoothingEnabled` samples bilinearly
 * at quality `low`, the only quality that is cheap and the same on both backends.
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
 * Pixels that can be painted on. `bitmap` draws their current state elsewhere; later painting does
 * not show there.
 */
export type Surface = { readonly bitmap: Bitmap; readonly context: Context2D }

export type Canvas = {
  readonly name: CanvasSettings['backend']
  /** Name of the device as the library reports it. */
  readonly device: string
  /** True when a real GPU paints; software Vulkan is not one. */
  readonly isGpu: boolean
  /**
   * True when layers are exact: painting some commands on one surface, drawing it on another and
   * painting the rest there gives the same bytes as painting all on one.
   */
  readonly layersAreExact: boolean
  /** Returns a transparent surface. */
  createSurface(width: number, height: number): Surface
  /**
   * Copies `rgba`, which may be reused at once. `into`: a bitmap of the same size from this method
   * that is no longer drawn; it may be overwritten and returned, which avoids allocating megabytes.
   */
  bitmapFromRgba(pixels: StraightPixels, into?: Bitmap): Bitmap
  /**
   * Returns premultiplied RGBA of a surface or bitmap of this backend, rows top first. Several
   * calls may be in flight; a surface must not be painted on until its call has resolved.
   */
  readPixels(from: Surface | Bitmap): Promise<Buffer>
}
