import { htmlFaults } from '../markup/html.ts'
import { svgFaults } from '../markup/svg.ts'
import { codeFault } from './code-faults.ts'
import { typeset } from './lint/typeset.ts'

/**
 * The dear parts of resolving a request, which depend on little of it. Requests that have much in
 * common (a bulk) may share them, so that each different part is done once.
 */
export type ResolveWork = {
  /** What markup breaks of the rules, as texts for the customer; empty = nothing. */
  readonly markupFaults: (language: 'html' | 'svg', markup: string) => readonly string[]
  /** A fault of a script's syntax, or nothing. */
  readonly codeFaults: (js: string) => readonly string[]
  readonly typeset: typeof typeset
}

export const unsharedWork: ResolveWork = {
  markupFaults: (language, markup) =>
    language === 'html' ? htmlFaults(markup) : svgFaults(markup),
  codeFaults(js) {
    const fault = codeFault(js)
    return fault === undefined ? [] : [fault]
  },
  typeset,
}

/** Remembered by what it follows from, in characters of that: what requests share fits. */
const maxRemembered = 1_000_000

/** Different code of all requests that is parsed, in characters; the rest fails when rendered. */
const maxParsed = 1_000_000

/** `markupCharacters`: judged so far, without what was remembered. */
export function createSharedWork(): ResolveWork & { markupCharacters(): number } {
  let judged = 0
  let parsed = 0
  const codes = remember<readonly string[]>()
  const faults = remember<readonly string[]>()
  const sets = remember<ReturnType<typeof typeset>>()
  return {
    markupCharacters: () => judged,
    markupFaults: (language, markup) =>
      faults(`${language} ${markup}`, () => {
        judged += markup.length
        return unsharedWork.markupFaults(language, markup)
      }),
    codeFaults: (js) =>
      codes(js, () => {
        parsed += js.length
        return parsed > maxParsed ? [] : unsharedWork.codeFaults(js)
      }),
    typeset(text, canvas) {
      const { html, style, width, height } = text
      const key = JSON.stringify([html, style, width, height, canvas.width, canvas.height])
      return sets(key, () => typeset(text, canvas))
    },
  }
}

function remember<T>(): (key: string, make: () => T) => T {
  const known = new Map<string, T>()
  let characters = 0
  return (key, make) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make()
    if (characters + key.length <= maxRemembered) {
      known.set(key, made)
      characters += key.length
    }
    return made
  }
}
