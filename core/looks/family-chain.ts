import { string } from 'css-tree'
import { captionFamily } from './caption-rows.ts'
import {
  type BundledFamily,
  type FamilyName,
  familyMeant,
  familyNames,
  substituteName,
} from './families.ts'

/**
 * Fallbacks for characters that the requested families lack. Emoji come before the large families,
 * which claim some of theirs.
 */
const fallbacks = [
  'Poppins',
  'Noto Sans',
  'Noto Sans Arabic',
  'Noto Sans Hebrew',
  'Noto Sans Devanagari',
  'Noto Sans Thai',
  'Noto Color Emoji',
] as const satisfies readonly BundledFamily[]

/** Families for signs that no other has (Roboto: subscripts). They come last, since they claim many more. */
const signs = [
  'Roboto',
  'Noto Sans Symbols',
  'Noto Sans Symbols 2',
  'Noto Sans Math',
] as const satisfies readonly BundledFamily[]

/** Families in every chain. */
export const everywhere: readonly BundledFamily[] = [...fallbacks, ...signs]

export const hanFamilies: readonly BundledFamily[] = [
  'Noto Sans SC',
  'Noto Sans JP',
  'Noto Sans KR',
]

/**
 * Texts with characters that other families may lack. Only these get the Han families: 350 faces,
 * whose rules alone cost a browser some 10 ms.
 */
const beyondFallbacks =
  /[\u02d9\u2012\u2027\u2030\u203b\u2042\u2048\u2051\u2100\u2103\u2109\u2121\u213b\u2190-\uffff\u{10000}-\u{10ffff}]/u
const emoji = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\ufe0f/gu

/** Orders the Han families, whose characters differ: kana means Japanese, hangul Korean. */
function hanFallbacks(text: string): readonly BundledFamily[] {
  if (!beyondFallbacks.test(text.replace(emoji, ''))) return []
  if (/[\u3040-\u30ff]/.test(text)) return ['Noto Sans JP', 'Noto Sans SC', 'Noto Sans KR']
  if (/[\u1100-\u11ff\uac00-\ud7af]/.test(text)) {
    return ['Noto Sans KR', 'Noto Sans SC', 'Noto Sans JP']
  }
  return hanFamilies
}

/** Bundled families that a `font-family` requests. */
export function askedFamilies(families: string): BundledFamily[] {
  return familyNames(families).flatMap((asked) => familyMeant(asked) ?? [])
}

/** Families of every chain for a text, after those requested. */
export function fallbackFamilies(text: string): readonly BundledFamily[] {
  return [...fallbacks, ...hanFallbacks(text), ...signs]
}

export type FamilyChain = {
  /** A CSS `font-family` value. */
  readonly css: string
  /** The faces have the sizes of captions. */
  readonly isCaption: boolean
  readonly bundled: readonly BundledFamily[]
  /** Names that do not ship with the farm; the machine may have them. */
  readonly foreign: readonly string[]
  /** Requested name of most of a text, where a metric-compatible family is painted instead. */
  readonly substituted: string | undefined
}

/**
 * Returns the fonts to paint for a computed `font-family`: those requested, then Poppins, then one for
 * each script, then signs. `text` decides whether the Han families are needed, and in which order.
 * `own`: families that the document brings with it, which come before bundled ones of that name.
 */
export function familyChain(
  computed: string,
  text: string,
  { isCaption = false, own = [] }: { isCaption?: boolean; own?: readonly string[] } = {},
): FamilyChain {
  const cssName = (name: string, family: BundledFamily | undefined) =>
    isCaption && family ? captionFamily(family) : name
  const names = new Map<string, BundledFamily | undefined>()
  const owned = new Set(own.map((name) => name.toLowerCase()))
  const isOwn = ({ name }: FamilyName) => owned.has(name.toLowerCase())
  for (const asked of familyNames(computed)) {
    const family = isOwn(asked) ? undefined : familyMeant(asked)
    names.set(family ?? asked.name, family)
  }
  const foreign = [...names].filter(([, family]) => !family).map(([name]) => name)
  for (const family of fallbackFamilies(text)) {
    names.set(family, family)
  }
  const first = familyNames(computed).find((asked) => isOwn(asked) || familyMeant(asked))
  return {
    css: [...names].map(([name, family]) => string.encode(cssName(name, family))).join(', '),
    isCaption,
    bundled: [...names.values()].filter((family) => family !== undefined),
    foreign,
    substituted: first && isOwn(first) ? undefined : substituteName(computed),
  }
}
