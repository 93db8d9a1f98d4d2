import {
  type CssNode,
  generate,
  ident,
  type ParseOptions,
  parse,
  tokenize,
  tokenTypes,
} from 'css-tree'

const maxProperties = 120
const maxValueLength = 4_000
const maxBracketDepth = 32
/** Bounded, since each reference may concern every element. */
const maxSheetReferences = 200

/**
 * Limit of unreadable declarations. They are dropped, as in browsers. Each costs css-tree an error
 * with a copy of its surroundings (measured: 81 s for 2 MB of `:;`).
 */
export const maxBroken = 100

/** Tokens that no declaration may hold, at any position. */
const refusedTokens = [
  '@import',
  'image-set(',
  'expression(',
  'behavior:',
  '-moz-binding',
  'cross-fade(',
  'src(',
] as const

export type StyleFault = { readonly property: string; readonly message: string }

/**
 * Returns the faults of a visual's `style` (property → value). Property names are camelCase,
 * kebab-case or `--custom`. No value may fetch anything, not even from inside the element.
 */
export function styleFaults(style: Readonly<Record<string, string | number>>): StyleFault[] {
  const faults: StyleFault[] = []
  const entries = Object.entries(style)
  if (entries.length > maxProperties) {
    const message = `A style holds at most ${maxProperties} properties. Got ${entries.length}`
    faults.push({ property: '', message })
  }
  for (const [property, value] of entries.slice(0, maxProperties)) {
    const message = declarationFault(property, value)
    if (message) faults.push({ property, message })
  }
  return faults
}

function declarationFault(property: string, value: string | number): string | undefined {
  if (!/^(--[\w-]{1,100}|-?[a-z][a-z-]{0,60})$/i.test(property)) {
    return `A style property is a CSS name like fontSize, font-size or --accent. Got ${shorten(property)}`
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : `A style value is finite. Got ${value}`
  }
  if (value.length > maxValueLength) {
    return `A style value is at most ${maxValueLength} characters. Got ${value.length}`
  }
  if (/behavior$|^-?moz-?binding$/i.test(property)) return `The property ${property} is not allowed`
  const read = unescapeCss(value)
  const refused = ['url(', '/*', ...refusedTokens].find((token) => read.includes(token))
  if (refused) return `A style value may not contain ${refused}. Got ${shorten(value)}`
  if (bracketDepth(value) > maxBracketDepth) return nestedTooDeep
  return undefined
}

const nestedTooDeep = `Brackets in CSS may be nested at most ${maxBracketDepth} deep`

/** `fontSize` → `font-size`, `WebkitTextStroke` → `-webkit-text-stroke`; `--custom` stays. */
export function cssName(property: string): string {
  if (property.startsWith('--')) return property
  return property
    .replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`)
    .replace(/^(webkit|moz|ms)-/, '-$1-')
}

export type CleanCss = {
  readonly css: string
  readonly faults: readonly string[]
  /** Ids in `url(#id)`. */
  readonly references: readonly string[]
  /** Declarations that could not be read. */
  readonly broken: number
}

/** Cache by source: markup from one template repeats its styles. */
const readLately = new Map<string, CleanCss>()
const longestKept = 1_000
const mostKept = 500

/** Returns the declarations of a `style` attribute, without the refused ones. */
export function cleanDeclarations(source: string): CleanCss {
  if (source.length > longestKept) return readDeclarations(source)
  const known = readLately.get(source)
  if (known) return known
  const read = readDeclarations(source)
  if (readLately.size >= mostKept) readLately.clear()
  readLately.set(source, read)
  return read
}

function readDeclarations(source: string): CleanCss {
  if (isPlain(source)) return cleanPlain(source)
  if (bracketDepth(source) > maxBracketDepth) return refusedCss(nestedTooDeep)
  const { tree: list, broken } = parseCounting(source, {
    context: 'declarationList',
    parseValue: false,
  })
  if (list?.type !== 'DeclarationList') return { ...refusedCss(tooManyBroken), broken }
  return { ...keepAllowed(list.children), broken }
}

function keepAllowed(nodes: Iterable<CssNode>): Omit<CleanCss, 'broken'> {
  const kept: string[] = []
  const faults: string[] = []
  const references: string[] = []
  for (const node of nodes) {
    if (node.type !== 'Declaration') continue
    const text = generate(node)
    const fault = kept.length >= maxProperties ? tooManyProperties : cssFault(text)
    if (fault) faults.push(fault)
    else {
      kept.push(text)
      references.push(...urlReferences(text).ids)
    }
  }
  return { css: kept.join(';'), faults, references }
}

export const tooManyBroken = `CSS may hold at most ${maxBroken} declarations that cannot be read`

function refusedCss(fault: string): CleanCss {
  return { css: '', faults: [fault], references: [], broken: 0 }
}

/** True without brackets, quotes, escapes and comments: splitting is then a safe parse. */
function isPlain(source: string): boolean {
  return /^[\w#%.,:;+ \n-]*$/.test(source)
}

function cleanPlain(source: string): CleanCss {
  const kept: string[] = []
  const faults: string[] = []
  for (const part of source.split(';')) {
    const parts = /^\s*(-{0,2}[a-z][\w-]*)\s*:\s*(\S.*)$/is.exec(part)
    if (!parts) continue
    const text = `${parts[1]}:${parts[2]?.trimEnd()}`
    const fault = kept.length >= maxProperties ? tooManyProperties : cssFault(text)
    if (fault) faults.push(fault)
    else kept.push(text)
  }
  return { css: kept.join(';'), faults, references: [], broken: 0 }
}

const tooManyProperties = `A style holds at most ${maxProperties} properties`

/** `tree` is absent after more than `maxBroken` unreadable parts. */
function parseCounting(
  source: string,
  options: ParseOptions,
): { tree: CssNode | undefined; broken: number } {
  const enough = new Error(tooManyBroken)
  let broken = 0
  const onParseError = () => {
    broken++
    // An error thrown from here ends the parse.
    if (broken > maxBroken) throw enough
  }
  try {
    return { tree: parse(source, { ...options, onParseError }), broken }
  } catch (error) {
    if (error !== enough) throw error
    return { tree: undefined, broken }
  }
}

export type SheetReference = {
  /** Tags, classes and ids in the rule's selector; empty = it may match anything. */
  readonly names: readonly string[]
  readonly id: string
}

/**
 * Returns the plain rules of a `<style>` element in an SVG, without at-rules and refused declarations.
 */
export function cleanSheet(source: string): {
  css: string
  faults: readonly string[]
  references: readonly SheetReference[]
} {
  if (bracketDepth(source) > maxBracketDepth) {
    return { css: '', faults: [nestedTooDeep], references: [] }
  }
  const options = { parseValue: false, parseRulePrelude: false, parseAtrulePrelude: false }
  const { tree: sheet } = parseCounting(source, options)
  const known = new Set<string>()
  const rules: string[] = []
  const faults: string[] = []
  const references: SheetReference[] = []
  if (sheet?.type !== 'StyleSheet') return { css: '', faults: [tooManyBroken], references }
  for (const node of sheet.children) {
    if (node.type === 'Atrule') faults.push(`An SVG's style may not hold @${shorten(node.name)}`)
    if (node.type !== 'Rule') continue
    const selector = generate(node.prelude)
    const body = keepAllowed(node.block.children)
    faults.push(...body.faults)
    rules.push(`${selector}{${body.css}}`.replaceAll('<', '\\3c '))
    const names = selectorNames(selector)
    for (const id of new Set(body.references)) {
      const reference = { names, id }
      const key = JSON.stringify(reference)
      if (!known.has(key)) references.push(reference)
      known.add(key)
    }
  }
  if (references.length > maxSheetReferences) {
    faults.push(
      `An SVG's style holds at most ${maxSheetReferences} url(#id). Got ${references.length}`,
    )
    return { css: '', faults, references: [] }
  }
  return { css: rules.join('\n'), faults, references }
}

function selectorNames(selector: string): string[] {
  if (/[*[:]/.test(selector)) return []
  const names: string[] = []
  tokenize(selector, (type, start, end) => {
    const token = selector.slice(start, end)
    if (type === tokenTypes.Ident) names.push(ident.decode(token), token.toLowerCase())
    if (type === tokenTypes.Hash) names.push(ident.decode(token.slice(1)))
  })
  return names
}

/** Returns the rule that a piece of CSS or an attribute breaks: only `url(#id)` may be named. */
function cssFault(text: string): string | undefined {
  if (text.length > maxValueLength + 200) {
    return `A style value is at most ${maxValueLength} characters. Got ${text.length}`
  }
  return tokenFault(text)
}

/** Same as `cssFault`, for an attribute of any length. */
export function tokenFault(text: string): string | undefined {
  const read = unescapeCss(text)
  const refused = refusedTokens.find((token) => read.includes(token))
  if (refused) return `CSS may not contain ${refused}. Got ${shorten(text)}`
  if (!urlReferences(text).local) {
    return `url() may only name an element of the same picture, as in url(#id). Got ${shorten(text)}`
  }
  return undefined
}

export function urlReferences(text: string): { local: boolean; ids: string[] } {
  const found = [...unescapeCss(text, false).matchAll(/url\(\s*["']?\s*(#?)([^"')\s]*)/gi)]
  return {
    local: found.every(([, hash]) => hash === '#'),
    ids: found.flatMap(([, , id]) => (id ? [id] : [])),
  }
}

/** Decodes CSS escapes, which hide words from a search: `u\72l(` is `url(`. */
function unescapeCss(text: string, lower = true): string {
  const plain = text.includes('\\') ? ident.decode(text) : text
  return lower ? plain.toLowerCase() : plain
}

/** Nesting depth, at least what a parser sees: a closing bracket counts only where it matches. */
function bracketDepth(text: string): number {
  const closers: string[] = []
  let deepest = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    const closer = { '(': ')', '[': ']', '{': '}' }[char]
    if (closer) closers.push(closer)
    else if (char === closers.at(-1)) closers.pop()
    deepest = Math.max(deepest, closers.length)
  }
  return deepest
}

/** Shortens a value for a message: one line, at most 60 characters. */
export function shorten(value: string): string {
  const line = value.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return line.length > 60 ? `${line.slice(0, 57)}…` : line
}
