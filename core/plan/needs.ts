import type { ResolvedProject, ResolvedSvg, ResolvedText } from '../project/resolved.ts'
import type { BakeDocument, IngestSpec } from '../tasks.ts'

/**
 * Each distinct URL of the project once, with the first field that names it. A URL asked for as a
 * picture and as a sound is two entries: at most one of them can be right.
 */
export function mediaNeeds(project: ResolvedProject): IngestSpec[] {
  const needs = new Map<string, IngestSpec>()
  const add = (url: string, field: string, expect: IngestSpec['expect']) => {
    const key = `${expect} ${url}`
    if (!needs.has(key)) needs.set(key, { url, field: `${field}.src`, expect })
  }
  for (const container of [project, ...project.scenes]) {
    for (const visual of container.visuals) {
      if (visual.type === 'IMAGE') add(visual.src, visual.field, 'image')
    }
    for (const audio of container.audios) add(audio.src, audio.field, 'audio')
  }
  return [...needs.values()]
}

/** What Chromium must paint for the project, in the order of the request. */
export function bakeNeeds(project: ResolvedProject): BakeDocument[] {
  return [project, ...project.scenes].flatMap((container) =>
    container.visuals.flatMap((visual) =>
      visual.type === 'TEXT' || visual.type === 'SVG' ? [documentOf(visual, project)] : [],
    ),
  )
}

/**
 * A TEXT with `resize` is baked at its natural size and scaled later; an SVG scales in the browser,
 * where it stays sharp, and fills the canvas when it is to be fitted and has no box of its own.
 */
function documentOf(visual: ResolvedText | ResolvedSvg, project: ResolvedProject): BakeDocument {
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
