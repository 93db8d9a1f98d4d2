import { string } from 'css-tree'

/**
 * The font families that come with the farm, so that every node paints the same. Their files are the
 * workers' concern (worker/bake/fonts.ts).
 */
export const bundledFamilies = [
  'Anton',
  'Archivo',
  'Archivo Black',
  'Bebas Neue',
  'Bricolage Grotesque',
  'Cinzel',
  'Comfortaa',
  'Cormorant Garamond',
  'DM Sans',
  'Fraunces',
  'Fredoka',
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
] as const

export type BundledFamily = (typeof bundledFamilies)[number]

const familyByName: ReadonlyMap<string, BundledFamily> = new Map(
  bundledFamilies.map((family) => [family.toLowerCase(), family]),
)

/** The bundled family of that name, whatever its case. */
function bundledFamily(name: string): BundledFamily | undefined {
  return familyByName.get(name.toLowerCase())
}

/** CSS's generic families, in lower case: here they are bundled ones. */
const genericFamilies: Readonly<Record<string, BundledFamily>> = {
  'sans-serif': 'Inter',
  'system-ui': 'Inter',
  'ui-sans-serif': 'Inter',
  '-apple-system': 'Inter',
  blinkmacsystemfont: 'Inter',
  'ui-rounded': 'Nunito',
  serif: 'Lora',
  'ui-serif': 'Lora',
  monospace: 'JetBrains Mono',
  'ui-monospace': 'JetBrains Mono',
  cursive: 'Great Vibes',
  fantasy: 'Righteous',
  math: 'Noto Sans',
  emoji: 'Noto Color Emoji',
}

/** The bundled family that a name in a `font-family` means; undefined when none comes with the farm. */
export function familyMeant({ name, quoted }: FamilyName): BundledFamily | undefined {
  const generic = quoted ? undefined : genericFamilies[name.toLowerCase()]
  return generic ?? bundledFamily(name)
}

/** `quoted`: then it is never a generic name. */
type FamilyName = { readonly name: string; readonly quoted: boolean }

/** The names in a `font-family` value. */
export function familyNames(value: string): FamilyName[] {
  const found = value.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^"',\s][^"',]*/g)
  return [...found].map(([token]) => {
    const quoted = /^["']/.test(token)
    return { name: quoted ? string.decode(token) : token.trim(), quoted }
  })
}
