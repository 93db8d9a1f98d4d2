import { placeholderPattern } from '../placeholder.ts'

/** Text that looks like a placeholder and is none. */

export type Braces = {
  /** Text as written, shortened where it is long. */
  readonly shown: string
  /** Text between the braces. */
  readonly inner: string
  readonly fault: 'name' | 'open' | 'unopened' | 'braces' | 'single'
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

/** Matches a name before two braces, with tags or blanks between. */
const nameBefore =
  /(?<![\p{L}\p{N}_.])([\p{L}_$][\p{L}\p{N}_.$-]{0,100})(?:\s|<[^<>]{0,100}>|&nbsp;){0,20}$/u

/**
 * Finds names that two braces close and none open: `name }}`. Code has open braces before, so it
 * counts only where all braces before are closed.
 */
export function unopenedBraces(text: string): Braces[] {
  const found: Braces[] = []
  let open = 0
  for (const { 0: sign, index } of text.matchAll(/\}\}|[{}]/g)) {
    if (sign === '}}' && open === 0 && found.length < maxFinds) {
      const [written, inner = ''] =
        nameBefore.exec(text.slice(Math.max(0, index - maxInner), index)) ?? []
      if (written !== undefined) found.push({ shown: `${written}}}`, inner, fault: 'unopened' })
    }
    open = sign === '{' ? open + 1 : Math.max(0, open - sign.length)
  }
  return found
}

const name = '\\s*([A-Za-z][A-Za-z0-9_.]{0,100}?)\\s*'
/** Signs around a name in other languages, the longer ones first. */
const braced = [
  ['(?<![{\\w])\\$?\\{', '\\}\\}?'],
  ['\\[\\[', '\\]\\]'],
  ['｛｛?', '｝｝?'],
  ['\\{%-?', '-?%\\}'],
  ['<%[=-]?', '-?%>'],
  ['&lt;%[=-]?', '-?%&gt;'],
] as const
const signed = [
  ['%%?', '%%?'],
  ['\\$\\(', '\\)'],
  ['\\(\\(', '\\)\\)'],
  ['(?<!\\[)\\[', '\\](?!\\])'],
  ['(?<![\\w&])&lt;', '&gt;'],
  ['(?<![\\w.])__', '__(?![\\w.])'],
  ['(?<!\\w)@', '@(?!\\w)'],
  ['(?<!\\w)#', '#(?!\\w)'],
  ['(?<!\\w)\\$', '\\$(?!\\w)'],
  ['(?<![\\w$])\\$(?=\\w)', '(?![\\w(])'],
] as const

function either(pairs: readonly (readonly [string, string])[]): RegExp {
  return new RegExp(pairs.map(([open, close]) => `${open}${name}${close}`).join('|'), 'gu')
}

const anyBraced = either(braced)
const anySign = either([...braced, ...signed])

/**
 * Finds names in the braces of other languages: `{name}`, `${name}`, `[[name]]`, `{% name %}`. In
 * words, other signs as well: `%name%`, `[name]`, `$name`. Linear.
 */
export function foreignBraces(text: string, { inWords }: { inWords: boolean }): Braces[] {
  const found: Braces[] = []
  for (const [shown, ...groups] of text.matchAll(inWords ? anySign : anyBraced)) {
    if (found.length >= maxFinds) break
    const inner = groups.find((group) => typeof group === 'string') ?? ''
    found.push({ shown, inner, fault: 'single' })
  }
  return found
}
