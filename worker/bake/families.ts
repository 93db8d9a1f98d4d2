import { string } from 'css-tree'
import { type BundledFamily, bundledFamily } from './fonts.ts'

/** Generic families are bundled ones here, so that every node paints the same. */
const generics: Readonly<Record<string, BundledFamily>> = {
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

/** For characters that the families asked for do not have. The emoji stand before the large ones, which claim some of theirs. */
const fallbacks = [
  'Poppins',
  'Noto Sans',
  'Noto Sans Arabic',
  'Noto Sans Hebrew',
  'Noto Sans Devanagari',
  'Noto Sans Thai',
  'Noto Color Emoji',
] as const satisfies readonly BundledFamily[]

/**
 * The Han families are 350 faces, whose rules alone cost a browser some 10 ms: only texts with
 * characters that the others may lack get them.
 */
const beyondFallbacks = /[\u2190-\uffff\u{10000}-\u{10ffff}]/u
const emoji = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\ufe0f/gu

/** Han characters look different in each of the three: kana and hangul tell which is meant. */
function hanFallbacks(text: string): readonly BundledFamily[] {
  if (!beyondFallbacks.test(text.replace(emoji, ''))) return []
  if (/[\u3040-\u30ff]/.test(text)) return ['Noto Sans JP', 'Noto Sans SC', 'Noto Sans KR']
  if (/[\u1100-\u11ff\uac00-\ud7af]/.test(text)) {
    return ['Noto Sans KR', 'Noto Sans SC', 'Noto Sans JP']
  }
  return ['Noto Sans SC', 'Noto Sans JP', 'Noto Sans KR']
}

export type FamilyChain = {
  /** A CSS `font-family` value. */
  readonly css: string
  readonly bundled: readonly BundledFamily[]
  /** Names that do not come with the farm; the machine may have them. */
  readonly foreign: readonly string[]
}

/**
 * What to paint for a computed `font-family`: the families asked for, then Poppins, then one for
 * each script. `text` decides about the Han
 * families: whether, and which first.
 */
export function familyChain(computed: string, text: string): FamilyChain {
  const names = new Map<string, BundledFamily | undefined>()
  for (const { name, quoted } of familyNames(computed)) {
    const family = (quoted ? undefined : generics[name.toLowerCase()]) ?? bundledFamily(name)
    names.set(family ?? name, family)
  }
  const foreign = [...names].filter(([, family]) => !family).map(([name]) => name)
  for (const family of [...fallbacks, ...hanFallbacks(text)]) names.set(family, family)
  return {
    css: [...names.keys()].map((name) => string.encode(name)).join(', '),
    bundled: [...names.values()].filter((family) => family !== undefined),
    foreign,
  }
}

/** The names of a computed `font-family`, where a browser quotes what is not one identifier. */
function familyNames(computed: string): { name: string; quoted: boolean }[] {
  const found = computed.matchAll(/"(?:[^"\\]|\\.)*"|[^",\s][^",]*/g)
  return [...found].map(([token]) => {
    const quoted = token.startsWith('"')
    return { name: quoted ? string.decode(token) : token.trim(), quoted }
  })
}
