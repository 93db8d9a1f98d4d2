import { lineDocuments, linesOf } from '../captions/documents.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import type { BakeDocument, IngestSpec } from '../queue/tasks.ts'
import { type Facts, mediaKey } from '../timeline/facts.ts'
import { bakeDocument, bakeKeyText } from '../visuals/painted/bake-document.ts'
import type { ResolvedVisual } from '../visuals/resolved.ts'
import type { ResolvedText } from '../visuals/text/resolved.ts'

/**
 * Lists each distinct URL of the project once, with the first field that names it. A URL used as a
 * picture and as a sound is two entries.
 */
export function mediaNeeds(project: ResolvedProject): IngestSpec[] {
  const needs = new Map<string, IngestSpec>()
  const add = (url: string, field: string, expect: IngestSpec['expect'], more = {}) => {
    const key = mediaKey({ expect, url })
    if (!needs.has(key)) needs.set(key, { url, field, expect, ...more })
  }
  for (const container of [project, ...project.scenes]) {
    for (const visual of container.visuals) {
      const expect = expectations[visual.type]
      if (expect && 'src' in visual) add(visual.src, `${visual.field}.src`, expect)
      if (visual.type !== 'TEXT') continue
      for (const url of visual.pictures ?? []) {
        add(url, `${visual.field}.html`, 'image', { isInHtml: true })
      }
    }
    for (const audio of container.audios) add(audio.src, `${audio.field}.src`, 'audio')
  }
  if (project.subtitle?.src !== undefined) add(project.subtitle.src, 'subtitle.src', 'subtitle')
  if (project.thumbnail !== undefined) add(project.thumbnail, 'thumbnail', 'image')
  return [...needs.values()]
}

const expectations: Partial<Record<ResolvedVisual['type'], IngestSpec['expect']>> = {
  IMAGE: 'image',
  GIF: 'gif',
  VIDEO: 'video',
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
      if (visual.type !== 'TEXT' && visual.type !== 'SVG') return []
      return bakeDocument(visual, project, media) ?? []
    }),
  )
  return [...elements, ...captionNeeds(project, media)]
}

/** Elements whose html shows pictures by URL. */
export function textsWithPictures(project: ResolvedProject): ResolvedText[] {
  return [project, ...project.scenes].flatMap(({ visuals }) =>
    visuals.flatMap((visual) => (visual.type === 'TEXT' && visual.pictures ? [visual] : [])),
  )
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
