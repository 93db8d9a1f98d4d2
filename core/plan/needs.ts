import { bakeDocument } from '../project/bake-document.ts'
import type { ResolvedProject, ResolvedVisual } from '../project/resolved.ts'
import type { BakeDocument, IngestSpec } from '../tasks.ts'
import { mediaKey } from '../timeline/facts.ts'

/**
 * Each distinct URL of the project once, with the first field that names it. A URL asked for as a
 * picture and as a sound is two entries.
 */
export function mediaNeeds(project: ResolvedProject): IngestSpec[] {
  const needs = new Map<string, IngestSpec>()
  const add = (url: string, field: string, expect: IngestSpec['expect']) => {
    const key = mediaKey({ expect, url })
    if (!needs.has(key)) needs.set(key, { url, field, expect })
  }
  for (const container of [project, ...project.scenes]) {
    for (const visual of container.visuals) {
      const expect = expectations[visual.type]
      if (expect && 'src' in visual) add(visual.src, `${visual.field}.src`, expect)
    }
    for (const audio of container.audios) add(audio.src, `${audio.field}.src`, 'audio')
  }
  if (project.thumbnail !== undefined) add(project.thumbnail, 'thumbnail', 'image')
  return [...needs.values()]
}

const expectations: Partial<Record<ResolvedVisual['type'], IngestSpec['expect']>> = {
  IMAGE: 'image',
  GIF: 'gif',
  VIDEO: 'video',
}

/** What Chromium must paint for the project, in the order of the request. */
export function bakeNeeds(project: ResolvedProject): BakeDocument[] {
  return [project, ...project.scenes].flatMap((container) =>
    container.visuals.flatMap((visual) =>
      visual.type === 'TEXT' || visual.type === 'SVG' ? [bakeDocument(visual, project)] : [],
    ),
  )
}
