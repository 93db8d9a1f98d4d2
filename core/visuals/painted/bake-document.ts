import { engineVersion } from '../../engine.ts'
import { placePictures } from '../../markup/placed-pictures.ts'
import type { ResolvedProject } from '../../project/resolved.ts'
import type { BakeDocument } from '../../queue/tasks.ts'
import { type Facts, mediaKey } from '../../timeline/facts.ts'
import type { ResolvedSvg } from '../svg/resolved.ts'
import type { ResolvedText } from '../text/resolved.ts'
import type { ResolvedCode } from './code.ts'

/**
 * Returns the document that Chromium paints for an element. A TEXT wraps at the canvas. With
 * `resize` the browser scales it, without blur, into its box, or the canvas when it has none.
 * Undefined while a picture in its html has not been fetched (`media`).
 */
export function bakeDocument(
  visual: ResolvedText | ResolvedSvg,
  project: ResolvedProject,
  media: Facts['media'],
): BakeDocument | undefined {
  const pictures = fetchedPictures(visual, media)
  return pictures && documentOf(visual, project, pictures)
}

type Picture = NonNullable<BakeDocument['pictures']>[number]

/** Finds pictures by their URLs; undefined while one is not known. */
function fetchedPictures(
  visual: ResolvedText | ResolvedSvg,
  media: Facts['media'],
): ReadonlyMap<string, Picture> | undefined {
  const pictures = new Map<string, Picture>()
  for (const url of visual.type === 'TEXT' ? (visual.pictures ?? []) : []) {
    const { digest, facts } = media.get(mediaKey({ expect: 'image', url })) ?? {}
    if (digest === undefined || facts?.kind !== 'image') return undefined
    pictures.set(url, { digest, width: facts.width, height: facts.height })
  }
  return pictures
}

function documentOf(
  visual: ResolvedText | ResolvedSvg,
  project: ResolvedProject,
  pictures: ReadonlyMap<string, Picture>,
): BakeDocument {
  const { width, height } = project
  const fitted = visual.resize !== undefined && !visual.width && !visual.height
  const size = fitted ? { width, height } : given(visual)
  const canvas = { width, height }
  const shared = {
    field: visual.field,
    ...size,
    ...(visual.resize && { resize: visual.resize }),
    ...(visual.code && { canvas, code: codeOf(visual, visual.code, project) }),
  }
  if (visual.type === 'SVG') return { kind: 'svg', markup: visual.svg, style: {}, ...shared }
  const { html, style } = visual
  if (pictures.size === 0) return { kind: 'html', markup: html, style, canvas, ...shared }
  const markup = placePictures(html, (url) => pictures.get(url)?.digest)
  const distinct = new Map([...pictures.values()].map((picture) => [picture.digest, picture]))
  return { kind: 'html', markup, pictures: [...distinct.values()], style, canvas, ...shared }
}

/** Frame rate of a still: it shows the frame before its `snapshotTime`. */
const stillMomentRate = 30

/**
 * Moving elements are painted only where and while the canvas shows them, so position and end are
 * part of the document.
 */
function codeOf(
  visual: ResolvedText | ResolvedSvg,
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
 * are, by their digests in the markup. So is the engine version, as another engine may paint
 * another picture.
 */
export function bakeKeyText(document: BakeDocument): string {
  const { kind, markup, style, width, height, resize, canvas, parts, code } = document
  const size = { width, height, resize, canvas }
  return JSON.stringify({ engineVersion, kind, markup, style, ...size, parts, code })
}
