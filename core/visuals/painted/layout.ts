import type { BakeDocument, BakeFacts } from '../../queue/tasks.ts'
import { placeBox } from '../../timeline/placing.ts'
import type { Rect } from '../../timeline/rect.ts'
import type { TimedElement } from '../../timeline/types.ts'
import { type LayoutContext, missing } from '../layout.ts'
import type { VisualBase } from '../visual-base.ts'
import { bakeKeyText } from './bake-document.ts'

/** Layout of what a browser painted, pixel for pixel. */

export type Shown = Pick<TimedElement, 'pixels' | 'source' | 'dest'>
type AnimationPicture = NonNullable<BakeFacts['moments']>['pictures'][number]
export type Ink = Pick<BakeFacts, 'inkX' | 'inkY' | 'inkWidth' | 'inkHeight'> &
  Partial<AnimationPicture>

/** Returns what an element shows first, and its other animation frames, if any. */
export function bakedShown(
  { moments, ...still }: BakeFacts,
  shown: (ink: Ink) => Shown,
): Shown & Pick<TimedElement, 'moments'> {
  const [first] = moments?.pictures ?? []
  if (!moments || !first) return shown(inkOf(still))
  const { frameRate, pictures, order } = moments
  const all = { frameRate, shown: pictures.map(shown), order }
  return { ...shown(first), moments: all }
}

const inkOf = ({ inkX, inkY, inkWidth, inkHeight }: Ink) => ({ inkX, inkY, inkWidth, inkHeight })

export const sliceOf = ({ offset, bytes }: Ink) =>
  offset !== undefined && bytes !== undefined ? { slice: [offset, bytes] as const } : {}

/** Finds the picture of a document, and places its box. */
export function bakedBox(
  visual: VisualBase,
  document: BakeDocument | undefined,
  { canvas, facts }: LayoutContext,
): { bake: BakeFacts; box: Rect } {
  const bake = document && facts.bakes.get(bakeKeyText(document))
  if (!bake) throw missing(visual.field)
  return { bake, box: placeBox(visual, bake, { canvas, margin: bake.margin }) }
}
