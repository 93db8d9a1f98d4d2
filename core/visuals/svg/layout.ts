import { colorFilter } from '../../looks/picture.ts'
import type { ResolvedProject } from '../../project/resolved.ts'
import type { BakeDocument } from '../../queue/tasks.ts'
import type { Padding, Rect } from '../../timeline/rect.ts'
import { colorKey, type Layout, type LayoutContext, manner } from '../layout.ts'
import { sharedDocument } from '../painted/bake-document.ts'
import { bakedBox, bakedShown, type Ink, type Shown, sliceOf } from '../painted/layout.ts'
import type { ResolvedSvg } from './resolved.ts'

export function svgDocument(visual: ResolvedSvg, project: ResolvedProject): BakeDocument {
  return { kind: 'svg', markup: visual.svg, style: {}, ...sharedDocument(visual, project) }
}

export function layoutSvg(svg: ResolvedSvg, context: LayoutContext): Layout {
  const { bake, box } = bakedBox(svg, svgDocument(svg, context.canvas), context)
  const filter = colorFilter(svg.filter, box)
  const shown = (ink: Ink): Shown => {
    const padding = filter?.blur ? paddingInBox(ink, box) : undefined
    const { left, top, right, bottom } = padding ?? { left: 0, top: 0, right: 0, bottom: 0 }
    const width = left + ink.inkWidth + right
    const height = top + ink.inkHeight + bottom
    return {
      pixels: {
        kind: 'bake',
        digest: bake.digest,
        ...sliceOf(ink),
        ...(svg.chromaKey && { key: colorKey(svg.chromaKey) }),
        ...(padding && { room: padding }),
      },
      source: [0, 0, width, height],
      dest: [box[0] + ink.inkX - left, box[1] + ink.inkY - top, width, height],
    }
  }
  return {
    ...bakedShown(bake, shown),
    box,
    ...manner(svg),
    zoomDepth: 1,
    ...(filter && { filter }),
  }
}

/** Empty part of the box around the ink, into which a blur spreads. */
function paddingInBox(bake: Ink, [, , width, height]: Rect): Padding {
  return {
    left: Math.max(0, bake.inkX),
    top: Math.max(0, bake.inkY),
    right: Math.max(0, width - bake.inkX - bake.inkWidth),
    bottom: Math.max(0, height - bake.inkY - bake.inkHeight),
  }
}
