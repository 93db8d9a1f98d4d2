import { string } from 'css-tree'

/**
 * The font families that come with the farm, so that every node paints the same. Their files are the
 * workers' concern (worker/bake/fonts.ts).
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

/** The bundled family of that name, whatever its case. */
function bundledFamily(name: string): BundledFamily | undefined {
  return familyByName.get(name.toLowerCase())
}

/**
 * Families that every system has and the farm may not: each one's metric twin, whose letters are as wide
 * and whose lines are as high. The groups are those of fontconfig (30-metric-aliases.conf).
 */
const metricTwins: Readonly<Record<string, BundledFamily>> = {
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
 * CSS's generic families, in lower case: here they are bundled ones. Browsers' own `sans-serif`, `serif`
 * and `monospace` are Arial, Times New Roman and Courier New. `system-ui` differs on each system.
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

/** The family that most of a text is painted in where none of those asked for can be. */
const defaultFamily: BundledFamily = 'Poppins'

/** The bundled family that a name in a `font-family` means; undefined when none comes with the farm. */
export function familyMeant(asked: FamilyName): BundledFamily | undefined {
  const key = asked.name.toLowerCase()
  const isGeneric = !asked.quoted && Object.hasOwn(genericFamilies, key)
  const generic = isGeneric ? genericFamilies[key] : undefined
  return generic ?? bundledFamily(asked.name) ?? metricTwin(asked.name)
}

/** The first name in a `font-family` that can be painted, when it is so as its metric twin. */
export function twinnedName(families: string): string | undefined {
  const first = familyNames(families).find((asked) => familyMeant(asked) !== undefined)
  return first && metricTwin(first.name) ? first.name : undefined
}

function metricTwin(name: string): BundledFamily | undefined {
  const key = name.toLowerCase()
  return Object.hasOwn(metricTwins, key) ? metricTwins[key] : undefined
}

/** The family that most of a text is painted in, for a value of `font-family`. */
export function paintedFamily(families: string): BundledFamily {
  return (
    familyNames(families)
      .map(familyMeant)
      .find((family) => family !== undefined) ?? defaultFamily
  )
}

/** `quoted`: then it is never a generic name. */
export type FamilyName = { readonly name: string; readonly quoted: boolean }

/** The names in a `font-family` value. */
export function familyNames(value: string): FamilyName[] {
  const found = value.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^"',\s][^"',]*/g)
  return [...found].map(([token]) => {
    const quoted = /^["']/.test(token)
    return { name: quoted ? string.decode(token) : token.trim(), quoted }
  })
}
