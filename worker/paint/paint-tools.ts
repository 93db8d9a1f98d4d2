import type { DrawCommand, TransitionCommand } from '../../core/timeline/draw.ts'
import type { Rect } from '../../core/timeline/rect.ts'
import type { Bitmap, Context2D } from './canvas.ts'
import type { Masks } from './masks.ts'
import type { Offset } from './picture.ts'
import type { Filtered, Pictures } from './pictures.ts'
import type { SurfacePool } from './surface-pool.ts'

/** Tools for painting one frame; nothing in it changes a pixel. */
export type PaintTools = {
  readonly pictures: Pictures
  readonly filtered: Filtered
  readonly masks: Masks
  /** Transitions already blended into pictures. */
  readonly blended: BlendedTransitions
  /** Surfaces as large as the painted one, for combining layers before drawing. */
  readonly scratch: SurfacePool
}

export type PaintCommands = (
  context: Context2D,
  commands: readonly DrawCommand[],
  target: { tools: PaintTools; offset: Offset },
) => void

/** Transition as one picture: its part in `window`, canvas coordinates. */
export type Blended = { readonly bitmap: Bitmap; readonly window: Rect }

/** Blended transitions of one frame, held while it is painted. */
export type BlendedTransitions = ReadonlyMap<TransitionCommand, Blended>
