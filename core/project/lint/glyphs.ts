/**
 * Rough widths of text, in em: core has no fonts. They are means over the Latin letters of the
 * bundled families (test/worker/bake/guessed-widths.slow.test.ts compares them with a browser).
 */

const classes: readonly (readonly [RegExp, number])[] = [
  [/\p{Mn}|\p{Cf}/u, 0],
  [/[ijl|!.,:;'`]/u, 0.27],
  [/[ frt()[\]{}"/\\-]/u, 0.36],
  [/[mwMW@%]/u, 0.86],
  [/[A-Z&]/u, 0.67],
  [/[0-9a-z]/u, 0.56],
  [/[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]/u, 1],
  [/\p{Extended_Pictographic}/u, 1.2],
]
const otherWidth = 0.55

/** Width of families that are much narrower or wider than most, relative to those. */
const familyFactors: Readonly<Record<string, number>> = {
  Anton: 0.8,
  'Archivo Black': 1.12,
  'Bebas Neue': 0.65,
  'Cormorant Garamond': 0.82,
  Cousine: 1.12,
  Fredoka: 0.91,
  'Great Vibes': 0.72,
  'Instrument Serif': 0.7,
  'JetBrains Mono': 1.1,
  Lato: 0.91,
  'Libre Baskerville': 1.09,
  Oswald: 0.79,
  Outfit: 0.91,
  Righteous: 0.94,
  Roboto: 0.91,
  Tinos: 0.86,
}

/** Returns a text's width in em, without letter spacing. */
export function emWidth(text: string, family: string, weight: number): number {
  let sum = 0
  for (const character of text) {
    sum += classes.find(([members]) => members.test(character))?.[1] ?? otherWidth
  }
  return sum * (familyFactors[family] ?? 1) * (weight >= 600 ? 1.05 : 1)
}
