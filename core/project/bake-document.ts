import { engineVersion } from '../engine.ts'
import type { BakeDocument } from '../tasks.ts'
import type { ResolvedProject, ResolvedSvg, ResolvedText } from './resolved.ts'

/**
 * The document that Chromium paints for an element. A TEXT wraps at the canvas. With `resize` the
 * browser scales it, where it stays sharp, into its box, or the canvas when it has none.
 */
export function bakeDocument(
  visual: ResolvedText | ResolvedSvg,
  project: ResolvedProject,
): BakeDocument {
  const { width, height } = project
  const fitted = visual.resize !== undefined && !visual.width && !visual.height
  const size = fitted ? { width, height } : given(visual)
  const shared = {
    field: visual.field,
    ...size,
    ...(visual.resize && { resize: visual.resize }),
    ...(visual.code && { code: { ...visual.code, frameRate: momentRate(project) } }),
  }
  if (visual.type === 'SVG') return { kind: 'svg', markup: visual.svg, style: {}, ...shared }
  const { html: markup, style } = visual
  return { kind: 'html', markup, style, canvas: { width, height }, ...shared }
}

/** A still has no frames to go by: it shows the moment before its second. */
const stillMomentRate = 30

const momentRate = ({ type, frameRate }: ResolvedProject) =>
  type === 'image' ? stillMomentRate : frameRate

const given = (visual: { readonly width?: number; readonly height?: number }) => ({
  ...(visual.width !== undefined && { width: Math.max(1, Math.round(visual.width)) }),
  ...(visual.height !== undefined && { height: Math.max(1, Math.round(visual.height)) }),
})

/**
 * The text whose hash says that two documents paint the same picture. `field` is not part of it;
 * another engine may paint another.
 */
export function bakeKeyText(document: BakeDocument): string {
  const { kind, markup, style, width, height, resize, canvas, parts, code } = document
  const size = { width, height, resize, canvas }
  return JSON.stringify({ engineVersion, kind, markup, style, ...size, parts, code })
}
