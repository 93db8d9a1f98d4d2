import { bakeDocument } from '../project/bake-document.ts'
import type { ResolvedProject } from '../project/resolved.ts'
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
      visual.type === 'TEXT' || visual.type === 'SVG' ? [bakeDocument(visual, project)] : [],
    ),
  )
}
