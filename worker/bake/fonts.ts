import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parse, string, walk } from 'css-tree'

/** Where the page finds its fonts; the baker answers these addresses from disk. */
export const fontOrigin = 'https://fonts.farm'

/**
 * Every family that comes with the farm → its npm package. A variable package is one file for all
 * weights. All are under the SIL Open Font License.
 */
const packages = {
  Anton: '@fontsource/anton',
  Archivo: '@fontsource-variable/archivo',
  'Archivo Black': '@fontsource/archivo-black',
  'Bebas Neue': '@fontsource/bebas-neue',
  'Bricolage Grotesque': '@fontsource-variable/bricolage-grotesque',
  Cinzel: '@fontsource-variable/cinzel',
  Comfortaa: '@fontsource-variable/comfortaa',
  'Cormorant Garamond': '@fontsource-variable/cormorant-garamond',
  'DM Sans': '@fontsource-variable/dm-sans',
  Fraunces: '@fontsource-variable/fraunces',
  Fredoka: '@fontsource-variable/fredoka',
  'Great Vibes': '@fontsource/great-vibes',
  'Instrument Serif': '@fontsource/instrument-serif',
  Inter: '@fontsource-variable/inter',
  'JetBrains Mono': '@fontsource-variable/jetbrains-mono',
  Lato: '@fontsource/lato',
  'Libre Baskerville': '@fontsource/libre-baskerville',
  Lora: '@fontsource-variable/lora',
  Manrope: '@fontsource-variable/manrope',
  Montserrat: '@fontsource-variable/montserrat',
  // The package of @fontsource has its colours in a table that Chromium does not read.
  'Noto Color Emoji': '@infolektuell/noto-color-emoji',
  'Noto Sans': '@fontsource-variable/noto-sans',
  'Noto Sans Arabic': '@fontsource-variable/noto-sans-arabic',
  'Noto Sans Devanagari': '@fontsource-variable/noto-sans-devanagari',
  'Noto Sans Hebrew': '@fontsource-variable/noto-sans-hebrew',
  'Noto Sans JP': '@fontsource-variable/noto-sans-jp',
  'Noto Sans KR': '@fontsource-variable/noto-sans-kr',
  'Noto Sans SC': '@fontsource-variable/noto-sans-sc',
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
} as const satisfies Record<string, string>

export type BundledFamily = keyof typeof packages

export const bundledFamilies = Object.keys(packages) as BundledFamily[]

const familyByName = new Map(bundledFamilies.map((family) => [family.toLowerCase(), family]))

/** The bundled family of that name, whatever its case. */
export function bundledFamily(name: string): BundledFamily | undefined {
  return familyByName.get(name.toLowerCase())
}

export type Fonts = {
  /** `@font-face` rules of a family, every weight and style, each limited to its characters. */
  faces: (family: BundledFamily) => Promise<string>
  /** The bytes of an address under `fontOrigin`; undefined when no face names it. */
  file: (url: string) => Promise<Buffer | undefined>
}

/** Reads the packages' own style sheets, each once and only when its family is used. */
export function createFonts(): Fonts {
  const faces = new Map<BundledFamily, Promise<string>>()
  const files = new Map<string, string>()
  const bytes = new Map<string, Promise<Buffer>>()
  const remember = (url: string, path: string) => files.set(url, path)
  return {
    faces(family) {
      const known = faces.get(family) ?? readFaces(family, remember)
      faces.set(family, known)
      return known
    },
    async file(url) {
      const path = files.get(url)
      if (!path) return undefined
      const known = bytes.get(url) ?? readFile(path)
      bytes.set(url, known)
      return known
    },
  }
}

async function readFaces(
  family: BundledFamily,
  remember: (url: string, path: string) => void,
): Promise<string> {
  const name = packages[family]
  const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  const byWeight = (await readdir(folder)).filter((file) =>
    /^(wght|\d+)(-italic)?\.css$/.test(file),
  )
  const sheets = byWeight.length > 0 ? byWeight.sort() : ['index.css']
  const rules: string[] = []
  for (const sheet of sheets) {
    for (const face of facesOf(await readFile(join(folder, sheet), 'utf8'))) {
      const url = `${fontOrigin}/${name}/${face.file}`
      remember(url, join(folder, face.file))
      rules.push(
        `@font-face{font-family:${string.encode(family)};font-display:block;` +
          `src:url(${url}) format("woff2");${face.descriptors}}`,
      )
    }
  }
  return rules.join('\n')
}

/** Each face's woff2 file, relative to the package, and its weight, style and characters. */
function facesOf(css: string): { file: string; descriptors: string }[] {
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
