import { placePictures } from '../../markup/placed-pictures.ts'
import type { ResolvedProject } from '../../project/resolved.ts'
import type { BakeDocument } from '../../queue/tasks.ts'
import { type Facts, mediaKey } from '../../timeline/facts.ts'
import { sharedDocument } from '../painted/bake-document.ts'
import type { ResolvedText } from './resolved.ts'

/**
 * Returns the document that the browser paints for a TEXT, which wraps at the canvas. Undefined
 * while a picture in its html has not been fetched (`media`).
 */
export function textDocument(
  visual: ResolvedText,
  project: ResolvedProject,
  media: Facts['media'],
): BakeDocument | undefined {
  const pictures = fetchedPictures(visual, media)
  if (!pictures) return undefined
  const { html, style } = visual
  const { width, height } = project
  const canvas = { width, height }
  const shared = sharedDocument(visual, project)
  if (pictures.size === 0) return { kind: 'html', markup: html, style, canvas, ...shared }
  const markup = placePictures(html, (url) => pictures.get(url)?.digest)
  const distinct = new Map([...pictures.values()].map((picture) => [picture.digest, picture]))
  return { kind: 'html', markup, pictures: [...distinct.values()], style, canvas, ...shared }
}

type Picture = NonNullable<BakeDocument['pictures']>[number]

/** Finds pictures by their URLs; undefined while one is not known. */
function fetchedPictures(
  { pictures: urls = [] }: ResolvedText,
  media: Facts['media'],
): ReadonlyMap<string, Picture> | undefined {
  const pictures = new Map<string, Picture>()
  for (const url of urls) {
    const { digest, facts } = media.get(mediaKey({ expect: 'image', url })) ?? {}
    if (digest === undefined || facts?.kind !== 'image') return undefined
    pictures.set(url, { digest, width: facts.width, height: facts.height })
  }
  return pictures
}
