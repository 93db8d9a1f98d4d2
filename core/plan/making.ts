import type { DrawCommand } from '../timeline/draw.ts'
import type { Size } from '../timeline/rect.ts'
import { isOverClip } from './bottom-clip.ts'
import { isComposable } from './layers.ts'

/**
 * The cheapest way in which a frame can be made: `over-clip` leaves its clip in the decoder, `composed`
 * blends photographs in YUV, and `painted` needs a canvas. A segment is made in one way, so one painted
 * frame has all of its segment painted.
 */
export type Making = 'over-clip' | 'composed' | 'painted'

export function makingOf(commands: readonly DrawCommand[], canvas: Size): Making {
  if (isOverClip(commands, canvas)) return 'over-clip'
  return isComposable(commands, canvas) ? 'composed' : 'painted'
}
