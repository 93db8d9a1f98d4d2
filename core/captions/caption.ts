/** What is shown as text of the film from `start` until `end`, seconds of the film. */
export type Caption = {
  readonly start: number
  readonly end: number
  /** Line feeds are breaks. */
  readonly text: string
  readonly words?: readonly CaptionWord[]
  /** When each of the text's words begins, ascending; a file may say so. */
  readonly wordStarts?: readonly number[]
}

export type CaptionWord = { readonly start: number; readonly end: number; readonly text: string }

/**
 * What one film may show. Each line is painted by a browser, and a file's captions travel in a
 * node's answer (1 MB).
 */
export const captionLimits = {
  fileBytes: 256 * 1024,
  captions: 2_000,
  /** Between spaces. */
  words: 6_000,
  /** Letters of scripts that write no spaces: some two are a word. */
  unspacedLetters: 40_000,
  textCharacters: 1_000,
  wordCharacters: 100,
} as const
