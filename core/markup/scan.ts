import { Tokenizer } from 'parse5'

/** A start or end tag as a browser reads it: names in lower case, character references decoded. */
export type Tag = {
  readonly kind: 'tag'
  readonly name: string
  readonly closing: boolean
  readonly selfClosing: boolean
  readonly attributes: ReadonlyMap<string, string>
  /** Range of the tag in the source; `end` is excluded. */
  readonly start: number
  readonly end: number
}

export type Piece =
  | Tag
  | { readonly kind: 'text'; readonly raw: string }
  /** A comment, doctype, processing instruction or CDATA section. */
  | { readonly kind: 'declaration'; readonly source: string }
  /** A tag or comment that the source cuts off; a browser drops it. */
  | { readonly kind: 'cut'; readonly source: string }
  /** A tag with more attributes than any honest one has; it is not parsed. */
  | { readonly kind: 'overfull'; readonly source: string }

/** Bounded, because parse5 searches a list for every attribute: one tag could cost seconds. */
export const maxAttributes = 100

const letter = /[a-z]/i
const space = /[\t\n\f\r ]/

/**
 * Splits markup into tags, text and declarations. Each is read once, so time is linear for any
 * source. This scanner finds only the extent of a tag; parse5 reads its contents. `moveTo`, called
 * between two pieces, skips ahead.
 */
export function createScanner(source: string): {
  next: () => Piece | undefined
  moveTo: (position: number) => void
} {
  let at = 0
  const next = (): Piece | undefined => {
    if (at >= source.length) return undefined
    const start = at
    if (!opensMarkup(source, start)) {
      at = nextMarkup(source, start + 1)
      return { kind: 'text', raw: source.slice(start, at) }
    }
    if (!letter.test(source[tagNameAt(source, start)] ?? '')) {
      const end = endOfDeclaration(source, start)
      at = end ?? source.length
      return {
        kind: end === undefined ? 'cut' : 'declaration',
        source: source.slice(start, at),
      }
    }
    const { end, attributes } = endOfTag(source, start)
    at = end
    if (attributes > maxAttributes) return { kind: 'overfull', source: source.slice(start, end) }
    return (
      readTag(source.slice(start, end), { start, end }) ?? {
        kind: 'cut',
        source: source.slice(start),
      }
    )
  }
  return {
    next,
    moveTo(position) {
      at = Math.max(at, position)
    },
  }
}

function tagNameAt(source: string, start: number): number {
  return source[start + 1] === '/' ? start + 2 : start + 1
}

/** True unless the `<` is text: markup has a letter, `/`, `!` or `?` after it. */
function opensMarkup(source: string, at: number): boolean {
  return source[at] === '<' && /[a-z/!?]/i.test(source[at + 1] ?? '')
}

function nextMarkup(source: string, from: number): number {
  let at = source.indexOf('<', from)
  while (at !== -1 && !opensMarkup(source, at)) at = source.indexOf('<', at + 1)
  return at === -1 ? source.length : at
}

function endOfDeclaration(source: string, start: number): number | undefined {
  const [mark, offset] = source.startsWith('<!--', start)
    ? ['-->', 2]
    : source.startsWith('<![CDATA[', start)
      ? [']]>', 9]
      : ['>', 1]
  const end = source.indexOf(mark, start + offset)
  return end === -1 ? undefined : end + mark.length
}

/**
 * Finds a tag's end by the attribute states of
 * https://html.spec.whatwg.org/#before-attribute-name-state.
 */
function endOfTag(source: string, start: number): { end: number; attributes: number } {
  const skip = (from: number, test: RegExp) => {
    let at = from
    while (at < source.length && test.test(source[at] ?? '')) at++
    return at
  }
  let attributes = 0
  let at = skip(tagNameAt(source, start), /[^\t\n\f\r />]/)
  while (at < source.length) {
    at = skip(at, /[\t\n\f\r /]/)
    if (source[at] === '>') return { end: at + 1, attributes }
    attributes++
    at = skip(skip(at + 1, /[^\t\n\f\r />=]/), space)
    if (source[at] !== '=') continue
    at = skip(at + 1, space)
    const quote = source[at]
    if (quote === '"' || quote === "'") {
      const close = source.indexOf(quote, at + 1)
      at = close === -1 ? source.length : close + 1
    } else {
      at = skip(at, /[^\t\n\f\r >]/)
    }
  }
  return { end: source.length, attributes }
}

/** Fast path for tags without attributes, the most common: parse5 takes ten times as long. */
const bareTag = /^<(\/?)([a-z][a-z0-9]*)[\t\n\f\r ]*(\/?)>$/i
const noAttributes: ReadonlyMap<string, string> = new Map()

type Extent = { readonly start: number; readonly end: number }

/** Returns undefined for a tag that the source cuts off. */
function readTag(source: string, extent: Extent): Tag | undefined {
  const bare = bareTag.exec(source)
  if (bare) {
    const [, slash, name = '', ending] = bare
    const tag = { name: name.toLowerCase(), closing: slash === '/', selfClosing: ending === '/' }
    return { kind: 'tag', ...tag, attributes: noAttributes, ...extent }
  }
  let found: Tag | undefined
  const ignore = () => {}
  const tokenizer = new Tokenizer(
    {},
    {
      onStartTag: (token) => {
        found ??= tagOf(token, { closing: false, ...extent })
      },
      onEndTag: (token) => {
        found ??= tagOf(token, { closing: true, ...extent })
      },
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
      onCharacter: ignore,
      onNullCharacter: ignore,
      onWhitespaceCharacter: ignore,
    },
  )
  tokenizer.write(source, true)
  return found
}

function tagOf(
  token: { tagName: string; selfClosing: boolean; attrs: { name: string; value: string }[] },
  rest: Extent & { closing: boolean },
): Tag {
  return {
    kind: 'tag',
    name: token.tagName,
    selfClosing: token.selfClosing,
    attributes: new Map(token.attrs.map(({ name, value }) => [name, value])),
    ...rest,
  }
}
