import { htmlFaults } from './html.ts'
import { svgFaults } from './svg.ts'

/** What markup breaks of the rules, as texts for the customer; empty = nothing. */
export type JudgeMarkup = (language: 'html' | 'svg', markup: string) => readonly string[]

export const judgeMarkup: JudgeMarkup = (language, markup) =>
  language === 'html' ? htmlFaults(markup) : svgFaults(markup)

/** Remembered markup, in characters: what requests share fits, what each has of its own need not. */
const maxRemembered = 2_000_000

/** The same for many requests with much markup in common: what is remembered is judged once. */
export function createMarkupJudge(): {
  readonly judge: JudgeMarkup
  /** Characters judged so far, a remembered one once. */
  characters(): number
} {
  const known = new Map<string, readonly string[]>()
  let remembered = 0
  let judged = 0
  return {
    characters: () => judged,
    judge(language, markup) {
      const key = `${language} ${markup}`
      const before = known.get(key)
      if (before) return before
      const faults = judgeMarkup(language, markup)
      judged += markup.length
      if (remembered + key.length <= maxRemembered) {
        known.set(key, faults)
        remembered += key.length
      }
      return faults
    },
  }
}
