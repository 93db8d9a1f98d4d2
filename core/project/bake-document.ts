import type { BakeDocument } from '../tasks.ts'
import type { ResolvedProject, ResolvedSvg, ResolvedText } from './resolved.ts'

/**
 * The document that Chromium paints for an element. A TEXT with `resize` is baked at its natural size and scaled later; an SVG scales in the browser,
 * where it stays sharp, and fills the canvas when it is to be fitted and has no box of its own.
 */
export function bakeDocument(
  visual: ResolvedText | ResolvedSvg,
  project: ResolvedProject,
): BakeDocument {
  if (visual.type === 'TEXT') {
    const size = visual.resize === undefined ? given(visual) : {}
    return { kind: 'html', markup: visual.html, style: visual.style, field: visual.field, ...size }
  }
  const fitted = visual.resize !== undefined && !visual.width && !visual.height
  const size = fitted ? { width: project.width, height: project.height } : given(visual)
  return {
    kind: 'svg',
    markup: visual.svg,
    style: {},
    field: visual.field,
    ...size,
    ...(visual.resize && { resize: visual.resize }),
  }
}

const given = (visual: { readonly width?: number; readonly height?: number }) => ({
  ...(visual.width !== undefined && { width: Math.max(1, Math.round(visual.width)) }),
  ...(visual.height !== undefined && { height: Math.max(1, Math.round(visual.height)) }),
})

/** The text whose hash says that two documents paint the same picture. `field` is not part of it. */
export function bakeKeyText(document: BakeDocument): string {
  const { kind, markup, style, width, height, resize } = document
  return JSON.stringify({ kind, markup, style, width, height, resize })
}
