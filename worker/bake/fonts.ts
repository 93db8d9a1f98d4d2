import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parse, string, walk } from 'css-tree'
import { captionFace, captionFamily } from '../../core/looks/caption-rows.ts'
import type { BundledFamily } from '../../core/looks/families.ts'
import { type FontCharacters, readFontCharacters } from './font-tables.ts'

/** Origin of the page's fonts; the baker answers its addresses from disk. */
export const fontOrigin = 'https://fonts.farm'

/**
 * Maps every bundled family to its npm package. A variable package is one file for all weights. All
 * are under the SIL Open Font License.
 */
export const packages = {
  Anton: '@fontsource/anton',
  Archivo: '@fontsource-variable/archivo',
  'Archivo Black': '@fontsource/archivo-black',
  Arimo: '@fontsource-variable/arimo',
  'Bebas Neue': '@fontsource/bebas-neue',
  'Bricolage Grotesque': '@fontsource-variable/bricolage-grotesque',
  Cinzel: '@fontsource-variable/cinzel',
  Comfortaa: '@fontsource-variable/comfortaa',
  'Cormorant Garamond': '@fontsource-variable/cormorant-garamond',
  Cousine: '@fontsource/cousine',
  'DM Sans': '@fontsource-variable/dm-sans',
  Fraunces: '@fontsource-variable/fraunces',
  Fredoka: '@fontsource-variable/fredoka',
  Gelasio: '@fontsource-variable/gelasio',
  'Great Vibes': '@fontsource/great-vibes',
  'Instrument Serif': '@fontsource/instrument-serif',
  Inter: '@fontsource-variable/inter',
  'JetBrains Mono': '@fontsource-variable/jetbrains-mono',
  Lato: '@fontsource/lato',
  'Libre Baskerville': '@fontsource/libre-baskerville',
  Lora: '@fontsource-variable/lora',
  Manrope: '@fontsource-variable/manrope',
  Montserrat: '@fontsource-variable/montserrat',
  // The package of @fontsource stores its colours in a table that Chromium does not read.
  'Noto Color Emoji': '@infolektuell/noto-color-emoji',
  'Noto Sans': '@fontsource-variable/noto-sans',
  'Noto Sans Arabic': '@fontsource-variable/noto-sans-arabic',
  'Noto Sans Devanagari': '@fontsource-variable/noto-sans-devanagari',
  'Noto Sans Hebrew': '@fontsource-variable/noto-sans-hebrew',
  'Noto Sans JP': '@fontsource-variable/noto-sans-jp',
  'Noto Sans KR': '@fontsource-variable/noto-sans-kr',
  'Noto Sans Math': '@fontsource/noto-sans-math',
  'Noto Sans SC': '@fontsource-variable/noto-sans-sc',
  'Noto Sans Symbols': '@fontsource-variable/noto-sans-symbols',
  'Noto Sans Symbols 2': '@fontsource/noto-sans-symbols-2',
  'Noto Sans Thai': '@fontsource-variable/noto-sans-thai',
  Nunito: '@fontsource-variable/nunito',
  'Open Sans': '@fontsource-variable/open-sans',
  Oswald: '@fontsource-variable/oswald',
  Outfit: '@fontsource-variable/outfit',
  'Playfair Display': '@fontsource-variable/playfair-display',
  Poppins: '@fontsource/poppins',
  Raleway: '@fontsource-variable/raleway',
  Righteous: '@fontsource/righteous',
  Roboto: '@fontsource-variable/roboto',
  Rubik: '@fontsource-variable/rubik',
  Sora: '@fontsource-variable/sora',
  'Space Grotesk': '@fontsource-variable/space-grotesk',
  Syne: '@fontsource-variable/syne',
  Tinos: '@fontsource/tinos',
} as const satisfies Record<BundledFamily, string>

/** Its style sheet claims Latin only, for a file that covers all of mathematics. */
const withoutRange: ReadonlySet<BundledFamily> = new Set(['Noto Sans Math'])

export type Fonts = {
  /**
   * Returns the `@font-face` rules of a family, every weight and style, each limited to its
   * characters. For captions they have another name and the metrics of captions.
   */
  faces: (family: BundledFamily, use?: { readonly isCaption: boolean }) => Promise<string>
  /** Returns the bytes of an address under `fontOrigin`; undefined when no face names it. */
  file: (url: string) => Promise<Buffer | undefined>
  /** Returns the code points for which any face of the family has a glyph, read from its files. */
  characters: (family: BundledFamily) => Promise<FontCharacters>
}

type Face = {
  readonly path: string
  readonly url: string
  /** CSS descriptors: weight, style and characters. */
  readonly descriptors: string
  /** Pairs of first and last code points for which the face may have glyphs. */
  readonly ranges: readonly (readonly [first: number, last: number])[]
}

/** Reads the packages' own style sheets, each once and only when its family is used. */
export function createFonts(): Fonts {
  const families = new Map<BundledFamily, Promise<readonly Face[]>>()
  const paths = new Map<string, string>()
  const bytes = new Map<string, Promise<Buffer>>()
  const facesOf = (family: BundledFamily) => once(families, family, () => readFaces(family))
  const fileAt = (path: string) => once(bytes, path, () => readFile(path))
  return {
    async faces(family, { isCaption } = { isCaption: false }) {
      const faces = await facesOf(family)
      for (const { url, path } of faces) paths.set(url, path)
      const name = isCaption ? captionFamily(family) : family
      const sizes = isCaption ? captionFace(family) : ''
      return faces.map((face) => faceRule(name, face, sizes)).join('\n')
    },
    async file(url) {
      const path = paths.get(url)
      return path === undefined ? undefined : fileAt(path)
    },
    async characters(family) {
      const found = new Set<number>()
      for (const { path, ranges } of await facesOf(family)) {
        for (const code of readFontCharacters(await fileAt(path))) {
          if (ranges.some(([first, last]) => code >= first && code <= last)) found.add(code)
        }
      }
      return found
    },
  }
}

function once<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}

function faceRule(name: string, { url, descriptors }: Face, sizes: string): string {
  return (
    `@font-face{font-family:${string.encode(name)};font-display:block;` +
    `src:url(${url}) format("woff2");${descriptors}${sizes}}`
  )
}

async function readFaces(family: BundledFamily): Promise<readonly Face[]> {
  const name = packages[family]
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  const byWeight = (await readdir(folder)).filter((file) =>
    /^(wght|\d+)(-italic)?\.css$/.test(file),
  )
  const sheets = byWeight.length > 0 ? byWeight.sort() : ['index.css']
  const faces: Face[] = []
  for (const sheet of sheets) {
    for (const { file, ...claimed } of facesOfSheet(await readFile(join(folder, sheet), 'utf8'))) {
      const descriptors = withoutRange.has(family)
        ? claimed.descriptors.replace(/unicode-range:[^;]+;/, '')
        : claimed.descriptors
      faces.push({
        path: join(folder, file),
        url: `${fontOrigin}/${name}/${file}`,
        descriptors,
        ranges: rangesOf(descriptors),
      })
    }
  }
  return faces
}

/** Returns the pairs of a `unicode-range`; a face without one may have any character. */
function rangesOf(descriptors: string): (readonly [number, number])[] {
  const list = /unicode-range:([^;]+)/.exec(descriptors)?.[1] ?? 'U+0-10FFFF'
  return [...list.matchAll(/U\+([\dA-F?]+)(?:-([\dA-F]+))?/gi)].map(([, first = '', last]) => [
    Number.parseInt(first.replaceAll('?', '0'), 16),
    Number.parseInt(last ?? first.replaceAll('?', 'F'), 16),
  ])
}

/**
 * Returns each face's woff2 file, relative to the package, and its weight, style and characters.
 */
function facesOfSheet(css: string): { file: string; descriptors: string }[] {
  const faces: { file: string; descriptors: string }[] = []
  const sheet = parse(css, { positions: true, parseValue: false })
  walk(sheet, {
    visit: 'Atrule',
    enter(rule) {
      const range = rule.block?.loc
      if (rule.name !== 'font-face' || !range) return
      const block = css.slice(range.start.offset, range.end.offset)
      const file = /url\(["']?\.\/(files\/[\w.-]+\.woff2)["']?\)/.exec(block)?.[1]
      const descriptors = block.match(/(font-style|font-weight|unicode-range):[^;]+;/g)
      if (file && descriptors) faces.push({ file, descriptors: descriptors.join('') })
    },
  })
  return faces
}
