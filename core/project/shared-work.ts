import { type CodeCss, readCodeCss } from '../markup/code-css.ts'
import { readHtml } from '../markup/html.ts'
import { svgFaults } from '../markup/svg.ts'
import { codeFault } from './code-faults.ts'
import { typeset } from './lint/typeset.ts'

/**
 * Expensive parts of resolving a request, each of which depends on little of it. Similar requests
 * (a bulk) share them, so that each distinct part is done once.
 */
export type ResolveWork = {
  readonly readMarkup: (language: 'html' | 'svg', markup: string) => ReadMarkup
  /** Returns the syntax fault of a script, if any. */
  readonly codeFaults: (js: string) => readonly string[]
  readonly readCodeCss: (css: string) => CodeCss
  readonly typeset: typeof typeset
}

/** Rules that markup breaks, as texts for the customer (none = nothing), and the URLs of its pictures. */
export type ReadMarkup = {
  readonly faults: readonly string[]
  readonly pictures: readonly string[]
}

export const unsharedWork: ResolveWork = {
  readMarkup: (language, markup) =>
    language === 'html' ? readHtml(markup) : { faults: svgFaults(markup), pictures: [] },
  codeFaults(js) {
    const fault = codeFault(js)
    return fault === undefined ? [] : [fault]
  },
  readCodeCss,
  typeset,
}

/** Cache limit in characters of its keys; the common parts of requests fit. */
const maxRemembered = 1_000_000

/** Most distinct code of all requests that is parsed, in characters; the rest fails when rendered. */
const maxParsed = 1_000_000

/** `markupCharacters`: markup validated so far, without cache hits. */
export function createSharedWork(): ResolveWork & { markupCharacters(): number } {
  let validated = 0
  let parsed = 0
  const codes = remember<readonly string[]>()
  const markups = remember<ReadMarkup>()
  const sheets = remember<CodeCss>()
  const sets = remember<ReturnType<typeof typeset>>()
  return {
    markupCharacters: () => validated,
    readMarkup: (language, markup) =>
      markups(`${language} ${markup}`, () => {
        validated += markup.length
        return unsharedWork.readMarkup(language, markup)
      }),
    codeFaults: (js) =>
      codes(js, () => {
        parsed += js.length
        return parsed > maxParsed ? [] : unsharedWork.codeFaults(js)
      }),
    readCodeCss: (css) => sheets(css, () => readCodeCss(css)),
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
