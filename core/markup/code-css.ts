import { ident, string, tokenize, tokenTypes, url } from 'css-tree'

/** Style sheet of custom code and the files that it names: the farm loads none by URL. */
export type CodeCss = {
  /** The sheet without each `@font-face` that has no data: URL. */
  readonly css: string
  /** Families of the faces that stay, as written. */
  readonly ownFamilies: readonly string[]
  /** Families of the faces that are left out. */
  readonly foreignFamilies: readonly string[]
  /** URLs outside of `@font-face` that the page does not load. */
  readonly unloaded: readonly string[]
}

type Token = {
  readonly type: number
  readonly start: number
  readonly end: number
  readonly text: string
  /** URL that the token names. */
  readonly address: string | undefined
}

const noFiles = { ownFamilies: [], foreignFamilies: [], unloaded: [] }

/** Reads the tokens of a sheet, in linear time for hostile sheets too. */
export function readCodeCss(css: string): CodeCss {
  if (!/[@(\\]/.test(css)) return { css, ...noFiles }
  const tokens = tokensOf(css)
  const kept: string[] = []
  const own = new Set<string>()
  const foreign = new Set<string>()
  const unloaded = new Set<string>()
  let from = 0
  for (let at = 0; at < tokens.length; at += 1) {
    const { type, text, start, address } = tokens[at] as Token
    if (type === tokenTypes.AtKeyword && nameOf(text) === '@font-face') {
      const last = endOfRule(tokens, at)
      const { family, hasData } = readFace(tokens.slice(at + 1, last + 1))
      if (family !== undefined) (hasData ? own : foreign).add(family)
      if (!hasData) {
        kept.push(css.slice(from, start))
        from = tokens[last]?.end ?? css.length
      }
      at = last
    } else if (address && !isData(address) && !address.startsWith('#')) unloaded.add(address)
  }
  return {
    css: `${kept.join('')}${css.slice(from)}`,
    ownFamilies: [...own],
    foreignFamilies: [...foreign],
    unloaded: [...unloaded],
  }
}

const isData = (address: string) => /^\s*data:/i.test(address)
const nameOf = (text: string) => ident.decode(text).toLowerCase()

/** Functions whose strings are URLs; those of `@import` are too. */
const addressed: ReadonlySet<string> = new Set([
  'url(',
  'src(',
  'image-set(',
  '-webkit-image-set(',
  '@import',
])

const separators: ReadonlySet<number> = new Set([
  tokenTypes.Semicolon,
  tokenTypes.LeftCurlyBracket,
  tokenTypes.RightCurlyBracket,
])

/** Returns all tokens but comments and white space. */
function tokensOf(css: string): Token[] {
  const tokens: Token[] = []
  // Names of the open functions, or of the at-rule whose prelude is read.
  let around: string[] = []
  tokenize(css, (type, start, end) => {
    if (type === tokenTypes.Comment || type === tokenTypes.WhiteSpace) return
    const text = css.slice(start, end)
    const add = (address?: string) => tokens.push({ type, start, end, text, address })
    if (separators.has(type)) around = []
    if (type === tokenTypes.AtKeyword) around = [nameOf(text)]
    if (type === tokenTypes.Function) around.push(nameOf(text))
    if (type === tokenTypes.LeftParenthesis) around.push('(')
    if (type === tokenTypes.RightParenthesis) around.pop()
    const context = around.at(-1) ?? ''
    if (type === tokenTypes.Url && context !== '@namespace') add(url.decode(text))
    else if (type === tokenTypes.String && addressed.has(context)) add(string.decode(text))
    else add()
  })
  return tokens
}

/** Returns the index of the last token of the at-rule that begins at `at`. */
function endOfRule(tokens: readonly Token[], at: number): number {
  let depth = 0
  for (let i = at + 1; i < tokens.length; i += 1) {
    const { type } = tokens[i] as Token
    if (type === tokenTypes.LeftCurlyBracket) depth += 1
    if (type === tokenTypes.RightCurlyBracket) depth -= 1
    const mayEnd = type === tokenTypes.RightCurlyBracket || type === tokenTypes.Semicolon
    if (mayEnd && depth <= 0) return i
  }
  return tokens.length - 1
}

/** Most words of a family's name. */
const wordsMax = 20

function readFace(tokens: readonly Token[]): { family: string | undefined; hasData: boolean } {
  let family: string | undefined
  for (const [at, { type, text }] of tokens.entries()) {
    if (type !== tokenTypes.Ident || nameOf(text) !== 'font-family') continue
    family = familyIn(tokens.slice(at + 1, at + 2 + wordsMax)) ?? family
  }
  return { family, hasData: tokens.some(({ address }) => address && isData(address)) }
}

/** Returns the family behind `font-family`: a string, or words joined by spaces. */
function familyIn([colon, ...rest]: readonly Token[]): string | undefined {
  if (colon?.type !== tokenTypes.Colon) return undefined
  const [first] = rest
  if (first?.type === tokenTypes.String) return string.decode(first.text)
  const end = rest.findIndex(({ type }) => type !== tokenTypes.Ident)
  const words = rest.slice(0, end === -1 ? rest.length : end)
  return words.length === 0 ? undefined : words.map(({ text }) => ident.decode(text)).join(' ')
}
