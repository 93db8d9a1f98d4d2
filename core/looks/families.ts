import { string } from 'css-tree'

/**
 * Font families that ship with the farm, so that every node paints the same. The workers own their
 * files (worker/bake/fonts.ts).
 */
export const bundledFamilies = [
  'Anton',
  'Archivo',
  'Archivo Black',
  'Arimo',
  'Bebas Neue',
  'Bricolage Grotesque',
  'Cinzel',
  'Comfortaa',
  'Cormorant Garamond',
  'Cousine',
  'DM Sans',
  'Fraunces',
  'Fredoka',
  'Gelasio',
  'Great Vibes',
  'Instrument Serif',
  'Inter',
  'JetBrains Mono',
  'Lato',
  'Libre Baskerville',
  'Lora',
  'Manrope',
  'Montserrat',
  'Noto Color Emoji',
  'Noto Sans',
  'Noto Sans Arabic',
  'Noto Sans Devanagari',
  'Noto Sans Hebrew',
  'Noto Sans JP',
  'Noto Sans KR',
  'Noto Sans Math',
  'Noto Sans SC',
  'Noto Sans Symbols',
  'Noto Sans Symbols 2',
  'Noto Sans Thai',
  'Nunito',
  'Open Sans',
  'Oswald',
  'Outfit',
  'Playfair Display',
  'Poppins',
  'Raleway',
  'Righteous',
  'Roboto',
  'Rubik',
  'Sora',
  'Space Grotesk',
  'Syne',
  'Tinos',
] as const

export type BundledFamily = (typeof bundledFamilies)[number]

const familyByName: ReadonlyMap<string, BundledFamily> = new Map(
  bundledFamilies.map((family) => [family.toLowerCase(), family]),
)

/** Returns the bundled family of that name; case is ignored. */
function bundledFamily(name: string): BundledFamily | undefined {
  return familyByName.get(name.toLowerCase())
}

/**
 * Metric-compatible substitutes for families that every system has and the farm may not: the same
 * widths and line heights. The groups are those of fontconfig (30-metric-aliases.conf).
 */
const metricSubstitutes: Readonly<Record<string, BundledFamily>> = {
  arial: 'Arimo',
  helvetica: 'Arimo',
  'liberation sans': 'Arimo',
  'nimbus sans': 'Arimo',
  'nimbus sans l': 'Arimo',
  georgia: 'Gelasio',
  'times new roman': 'Tinos',
  times: 'Tinos',
  'liberation serif': 'Tinos',
  'nimbus roman': 'Tinos',
  'nimbus roman no9 l': 'Tinos',
  'courier new': 'Cousine',
  courier: 'Cousine',
  'liberation mono': 'Cousine',
  'nimbus mono': 'Cousine',
  'nimbus mono l': 'Cousine',
  'nimbus mono ps': 'Cousine',
}

/**
 * Bundled families for CSS's generic ones, in lower case. Browsers' own `sans-serif`, `serif` and
 * `monospace` are Arial, Times New Roman and Courier New. `system-ui` differs on each system.
 */
const genericFamilies: Readonly<Record<string, BundledFamily>> = {
  'sans-serif': 'Arimo',
  serif: 'Tinos',
  monospace: 'Cousine',
  'system-ui': 'Inter',
  'ui-sans-serif': 'Inter',
  '-apple-system': 'Inter',
  blinkmacsystemfont: 'Inter',
  'ui-rounded': 'Nunito',
  'ui-serif': 'Tinos',
  'ui-monospace': 'Cousine',
  cursive: 'Great Vibes',
  fantasy: 'Righteous',
  math: 'Noto Sans',
  emoji: 'Noto Color Emoji',
}

/** Family that most of a text is painted in where none of those requested is available. */
const defaultFamily: BundledFamily = 'Poppins'

/**
 * Returns the bundled family for a name in a `font-family`; undefined where none ships with the farm.
 */
export function familyMeant(asked: FamilyName): BundledFamily | undefined {
  const key = asked.name.toLowerCase()
  const isGeneric = !asked.quoted && Object.hasOwn(genericFamilies, key)
  const generic = isGeneric ? genericFamilies[key] : undefined
  return generic ?? bundledFamily(asked.name) ?? metricSubstitute(asked.name)
}

/** Returns the first paintable name in a `font-family` if a metric-compatible family replaces it. */
export function substituteName(families: string): string | undefined {
  const first = familyNames(families).find((asked) => familyMeant(asked) !== undefined)
  return first && metricSubstitute(first.name) ? first.name : undefined
}

function metricSubstitute(name: string): BundledFamily | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(metricSubstitutes, key) ? metricSubstitutes[key] : undefined
}

/** Returns the family that paints most of a text, for a value of `font-family`. */
export function paintedFamily(families: string): BundledFamily {
  return (
    familyNames(families)
      .map(familyMeant)
      .find((family) => family !== undefined) ?? defaultFamily
  )
}

/** `quoted`: the name is never generic. */
export type FamilyName = { readonly name: string; readonly quoted: boolean }

/** Names in a `font-family` value. */
export function familyNames(value: string): FamilyName[] {
  const found = value.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^"',\s][^"',]*/g)
  return [...found].map(([token]) => {
    const quoted = /^["']/.test(token)
    return { name: quoted ? string.decode(token) : token.trim(), quoted }
  })
}
