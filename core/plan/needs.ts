import { lineDocuments, linesOf } from '../captions/documents.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import type { BakeDocument, IngestSpec } from '../queue/tasks.ts'
import { type Facts, mediaKey } from '../timeline/facts.ts'
import { bakeKeyText } from '../visuals/painted/bake-document.ts'
import type { ResolvedCode } from '../visuals/painted/code.ts'
import type { ResolvedVisual } from '../visuals/resolved.ts'
import { visualTypeOf } from '../visuals/visual-types.ts'

/**
 * Lists each distinct URL of the project once, with the first field that names it. A URL used as a
 * picture and as a sound is two entries.
 */
export function mediaNeeds(project: ResolvedProject): IngestSpec[] {
  const needs = new Map<string, IngestSpec>()
  const add = (need: IngestSpec) => {
    const key = mediaKey(need)
    if (!needs.has(key)) needs.set(key, need)
  }
  for (const container of [project, ...project.scenes]) {
    for (const visual of container.visuals) visualTypeOf(visual).media(visual).forEach(add)
    for (const { src, field } of container.audios) {
      add({ url: src, field: `${field}.src`, expect: 'audio' })
    }
  }
  const { subtitle, thumbnail } = project
  if (subtitle?.src !== undefined) {
    add({ url: subtitle.src, field: 'subtitle.src', expect: 'subtitle' })
  }
  if (thumbnail !== undefined) add({ url: thumbnail, field: 'thumbnail', expect: 'image' })
  return [...needs.values()]
}

/**
 * Documents that Chromium must paint for the project, in the order of the request. The captions of
 * a file, and elements with pictures by URL, are known only after those were fetched (`media`).
 */
export function bakeNeeds(
  project: ResolvedProject,
  media: Facts['media'] = new Map(),
): BakeDocument[] {
  const elements = [project, ...project.scenes].flatMap((container) =>
    container.visuals.flatMap((visual) => {
      return visualTypeOf(visual).painted?.document(visual, project, media) ?? []
    }),
  )
  return [...elements, ...captionNeeds(project, media)]
}

type PaintedVisual = ResolvedVisual & { readonly code?: ResolvedCode }

/** Painted elements whose markup shows pictures by URL. */
export function elementsWithPictures(project: ResolvedProject): PaintedVisual[] {
  return [project, ...project.scenes].flatMap(({ visuals }) => visuals.filter(showsPictures))
}

function showsPictures(visual: ResolvedVisual): visual is PaintedVisual {
  const { painted, media } = visualTypeOf(visual)
  return painted !== null && media(visual).length > 0
}

/** Distinct pictures of the captions' lines. */
function captionNeeds(project: ResolvedProject, media: Facts['media']): BakeDocument[] {
  const { subtitle } = project
  if (!subtitle) return []
  const documents = linesOf(subtitle, project, media).flatMap((line) => {
    const { plate, plain, active } = lineDocuments(line, subtitle, project)
    return [plate, plain, active].filter((document) => document !== undefined)
  })
  return [...new Map(documents.map((each) => [bakeKeyText(each), each])).values()]
}
