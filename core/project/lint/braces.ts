import { placeholderPattern } from '../placeholder.ts'

/** Text that looks like a placeholder and is none. */

export type Braces = {
  /** Text as written, shortened where it is long. */
  readonly shown: string
  /** Text between the braces. */
  readonly inner: string
  readonly fault: 'name' | 'open' | 'braces' | 'single'
}

const placeholder = new RegExp(placeholderPattern, 'uy')
/** Longest inner text; no intended name is longer. */
const maxInner = 200
/** Most finds in one text; more help nobody. */
const maxFinds = 20

export function falseBraces(text: string): Braces[] {
  const found: Braces[] = []
  let at = text.indexOf('{{')
  while (at !== -1 && found.length < maxFinds) {
    const run = braceRun(text, at)
    // The last two of three braces open a placeholder.
    placeholder.lastIndex = at + run - 2
    const real = placeholder.exec(text)?.[0]
    if (real !== undefined) {
      const end = at + run - 2 + real.length
      if (run > 2 && text[end] === '}') {
        const shown = text.slice(at, end + 1)
        found.push({ shown, inner: real.slice(2, -2).trim(), fault: 'braces' })
      }
      at = text.indexOf('{{', end)
      continue
    }
    const { end, ...braces } = falseAt(text, at, at + run)
    found.push(braces)
    at = text.indexOf('{{', end)
  }
  return found
}

function braceRun(text: string, at: number): number {
  let end = at + 2
  while (text[end] === '{') end += 1
  return end - at
}

function falseAt(text: string, at: number, from: number): Braces & { end: number } {
  const close = text.indexOf('}}', from)
  const next = text.indexOf('{{', from)
  const isOpen = close === -1 || close - from > maxInner || (next !== -1 && next < close)
  if (!isOpen) {
    const inner = text.slice(from, close)
    return { shown: text.slice(at, close + 2), inner, fault: 'name', end: close + 2 }
  }
  const [inner = ''] = /^[^{}<>\n]{0,60}/u.exec(text.slice(from, from + 60)) ?? []
  return { shown: text.slice(at, from) + inner.trimEnd(), inner, fault: 'open', end: from }
}

const singles = [
  /(?<![{\w])\$?\{\s*([A-Za-z][A-Za-z0-9_.]{0,100})\s*\}\}?/gu,
  /\[\[\s*([A-Za-z][A-Za-z0-9_.]{0,100})\s*\]\]/gu,
  /｛｛?\s*([A-Za-z][A-Za-z0-9_.]{0,100})\s*｝｝?/gu,
]

/** Finds names in the braces of other languages: `{name}`, `${name}`, `[[name]]`. Linear. */
export function singleBraces(text: string): Braces[] {
  if (!/[{｛]|\[\[/u.test(text)) return []
  return singles.flatMap((single) => {
    const found: Braces[] = []
    for (const [shown, inner = ''] of text.matchAll(single)) {
      if (found.length >= maxFinds) break
      found.push({ shown, inner, fault: 'single' })
    }
    return found
  })
}
