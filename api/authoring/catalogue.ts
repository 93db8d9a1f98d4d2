import { canvasPresets } from '../../core/library/canvas-presets.ts'
import { designTemplates } from '../../core/library/design-templates.ts'
import type { LibraryPart } from '../../core/library/part.ts'
import { shapes } from '../../core/library/shapes.ts'
import { mediaUrlFault } from '../../core/project/media-url.ts'
import { readExampleFile, readExamples } from './examples.ts'

export const libraryKinds = ['examples', 'design-templates', 'canvas-presets', 'shapes'] as const
export type LibraryKind = (typeof libraryKinds)[number]

export type LibraryItem = Omit<LibraryPart, 'category'> & {
  readonly kind: LibraryKind
  readonly category: string
  readonly type: 'video' | 'image' | 'visual' | 'settings'
}

type Picture = { readonly type: string; readonly bytes: Buffer | string }

export type Library = {
  readonly items: Readonly<Record<LibraryKind, readonly LibraryItem[]>>
  addressOf(item: LibraryItem, what: 'content' | 'thumbnail'): string
  /** A small picture of an item; undefined: there is none. */
  thumbnail(item: LibraryItem): Picture | undefined
  /** CSV of a bulk of an example; undefined: it has none. */
  rows(item: LibraryItem): string | undefined
  /** A file that an example names; undefined: none does. */
  media(path: string): Picture | undefined
}

const types: Readonly<Record<string, string>> = {
  ...{ jpg: 'image/jpeg', png: 'image/png', gif: 'image/gif', vtt: 'text/vtt' },
  ...{ mp4: 'video/mp4', webm: 'video/webm', m4a: 'audio/mp4' },
}

type Source = { readonly publicUrl: string; readonly trustedHosts: readonly string[] }

/** Opens the library on first use: a farm for one film never needs it. */
export function libraryOf(source: Source): () => Library {
  let opened: Library | undefined
  return () => {
    opened ??= openLibrary(source)
    return opened
  }
}

/**
 * Reads the library: the farm's own examples and parts of projects. An example whose media the
 * farm's own rules would refuse is left out: it would not validate.
 */
function openLibrary({ publicUrl, trustedHosts }: Source): Library {
  const base = `${publicUrl.replace(/\/+$/, '')}/api/library`
  const urlOf = (path: string) => `${base}/media/${path}`
  const hasMedia = mediaUrlFault(urlOf('media/a.mp4'), { trustedHosts }) === undefined
  const examples = readExamples(urlOf).filter(({ media }) => hasMedia || media.length === 0)
  const paths = new Set(examples.flatMap(({ media }) => media))
  const rows = new Map(examples.map((example) => [example.slug, example.rows]))
  const parts = (kind: LibraryKind, type: LibraryItem['type'], of: readonly LibraryPart[]) =>
    of.map((part): LibraryItem => ({ kind, type, ...part }))
  return {
    items: {
      examples: examples.map(({ media: _, rows: __, ...example }) => ({
        ...{ kind: 'examples' as const, category: 'project', ...example },
      })),
      'design-templates': parts('design-templates', 'visual', designTemplates),
      'canvas-presets': parts('canvas-presets', 'settings', canvasPresets),
      shapes: parts('shapes', 'visual', shapes),
    },
    addressOf: ({ kind, slug }, what) => `${base}/${kind}/${slug}/${what}`,
    thumbnail(item) {
      if (item.kind === 'shapes') return asSvg(String(item.content.svg))
      if (item.kind === 'canvas-presets') return asSvg(drawCanvas(item))
      const bytes = readExampleFile(`thumbnails/${item.slug}.jpg`)
      return bytes && { type: 'image/jpeg', bytes }
    },
    rows: ({ kind, slug }) => (kind === 'examples' ? rows.get(slug) : undefined),
    media(path) {
      const bytes = paths.has(path) ? readExampleFile(path) : undefined
      const type = types[path.slice(path.lastIndexOf('.') + 1)]
      return bytes && type ? { type, bytes } : undefined
    },
  }
}

export const aspects = ['landscape', 'portrait', 'square'] as const
export type Aspect = (typeof aspects)[number]

type Search = { readonly q?: string | undefined; readonly aspect?: Aspect | undefined }

/** Returns the items of an aspect that have all words of `q` in the slug, the title or the description, in any case. */
export function searchItems(
  items: readonly LibraryItem[],
  { q = '', aspect }: Search,
): readonly LibraryItem[] {
  const words = q.toLowerCase().split(/\s+/)
  return items.filter((item) => {
    const { slug, title, description } = item
    if (aspect !== undefined && aspectOf(item) !== aspect) return false
    const text = `${slug} ${title} ${description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function aspectOf({ width, height }: LibraryItem): Aspect {
  if (width === height) return 'square'
  return width > height ? 'landscape' : 'portrait'
}

function asSvg(bytes: string): Picture {
  return { type: 'image/svg+xml', bytes }
}

/** Draws the outline of a canvas, its longer edge 300 of 320 units. */
function drawCanvas({ width, height }: LibraryItem): string {
  const scale = 300 / Math.max(width, height)
  const [w, h] = [width * scale, height * scale].map(Math.round)
  const at = (edge = 0) => (320 - edge) / 2
  const rect = `<rect x="${at(w)}" y="${at(h)}" width="${w}" height="${h}" rx="8" fill="#1d2939" stroke="#ff7a59" stroke-width="4"/>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="320" viewBox="0 0 320 320">${rect}</svg>`
}
