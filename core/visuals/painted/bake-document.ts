import { engineVersion } from '../../engine.ts'
import type { ResolvedProject } from '../../project/resolved.ts'
import type { BakeDocument } from '../../queue/tasks.ts'
import type { VisualBase } from '../visual-base.ts'
import type { ResolvedCode } from './code.ts'

type Painted = VisualBase & { readonly code?: ResolvedCode }

/**
 * Returns the parts of an element's document that do not depend on its type. With `resize` the
 * browser scales it, without blur, into its box, or the canvas when it has none.
 */
export function sharedDocument(
  visual: Painted,
  project: ResolvedProject,
): Omit<BakeDocument, 'kind' | 'markup' | 'style'> {
  const { width, height } = project
  const fitted = visual.resize !== undefined && !visual.width && !visual.height
  const size = fitted ? { width, height } : given(visual)
  const canvas = { width, height }
  return {
    field: visual.field,
    ...size,
    ...(visual.resize && { resize: visual.resize }),
    ...(visual.code && { canvas, code: codeOf(visual, visual.code, project) }),
  }
}

/** Frame rate of a still: it shows the frame before its `snapshotTime`. */
const stillMomentRate = 30

/**
 * Moving elements are painted only where and while the canvas shows them, so position and end are
 * part of the document.
 */
function codeOf(
  visual: Painted,
  code: ResolvedCode,
  { type, frameRate, snapshotTime }: ResolvedProject,
): NonNullable<BakeDocument['code']> {
  const { x, y, position, anchor, angle, flipH, flipV, enterBegin, exitEnd } = visual
  const isStill = type === 'image'
  const end = isStill ? snapshotTime : exitEnd
  const shown = end === undefined ? code.duration : Math.max(0, end - enterBegin)
  return {
    ...code,
    until: Math.min(code.duration, shown),
    frameRate: isStill ? stillMomentRate : frameRate,
    ...(isStill && { lastOnly: true }),
    place: { x, y, position, anchor, angle, flipH, flipV },
  }
}

const given = (visual: { readonly width?: number; readonly height?: number }) => ({
  ...(visual.width !== undefined && { width: Math.max(1, Math.round(visual.width)) }),
  ...(visual.height !== undefined && { height: Math.max(1, Math.round(visual.height)) }),
})

/**
 * Returns the text whose hash identifies a document's picture. `field` is not part of it; pictures
 * are, by their digests in the markup. So is the version of the engine that paints, as another one
 * may paint another picture.
 */
export function bakeKeyText(document: BakeDocument, engine: string = engineVersion): string {
  const { kind, markup, style, width, height, resize, canvas, parts, code } = document
  const size = { width, height, resize, canvas }
  const painted = { kind, markup, style, ...size, parts, code }
  return JSON.stringify({ engineVersion: engine, ...painted })
}
