import type { Preview } from '../../../client/farm-client.ts'
import { dataUrl } from './data-url.ts'

/** One frame of a preview's sheet. */
export type SheetFrame = {
  /** Address of the whole sheet, which the policy of the pages admits. */
  readonly address: string
  /** Second of the film; undefined for a still. */
  readonly time: number | undefined
  /** Size of the sheet, px. */
  readonly width: number
  readonly height: number
  /** Frame's place on the sheet, px. */
  readonly frame: {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  }
}

/** Returns a frame of a sheet: the first, or the one in the middle of the film. */
export function frameOf(sheet: Preview, which: 'first' | 'middle' = 'first'): SheetFrame {
  const { image, width, height, frameWidth, frameHeight, frames } = sheet
  const at = which === 'first' ? 0 : Math.floor(frames.length / 2)
  const { time, x = 0, y = 0 } = frames[at] ?? {}
  const frame = { x, y, width: frameWidth, height: frameHeight }
  return { address: dataUrl(image, 'image/jpeg'), time, width, height, frame }
}

/** Styles that show the frame alone in a box of its shape, without the sheet's margin. */
export function cropOf({ width, height, frame }: SheetFrame) {
  return {
    width: `${(width / frame.width) * 100}%`,
    height: `${(height / frame.height) * 100}%`,
    left: `${(-frame.x / frame.width) * 100}%`,
    top: `${(-frame.y / frame.height) * 100}%`,
  }
}
