/** Text shown from `start` until `end`, seconds of the film. */
export type Caption = {
  readonly start: number
  readonly end: number
  /** Line feeds are breaks. */
  readonly text: string
  readonly words?: readonly CaptionWord[]
  /** Start of each of the text's words, ascending; only some files have them. */
  readonly wordStarts?: readonly number[]
}

export type CaptionWord = { readonly start: number; readonly end: number; readonly text: string }

/**
 * Limits for one film. Each line is painted by a browser, and a file's captions travel in a node's
 * answer (1 MB).
 */
export const captionLimits = {
  fileBytes: 256 * 1024,
  captions: 2_000,
  /** Words are counted between spaces. */
  words: 6_000,
  /** Letters of scripts that write no spaces; about two make a word. */
  unspacedLetters: 40_000,
  textCharacters: 1_000,
  wordCharacters: 100,
} as const
