import { cleanStartTag, oneSource, type PictureAttributes } from './attributes.ts'
import { cleanSheet, maxBroken, type SheetReference, shorten, tooManyBroken } from './css.ts'
import { makeEntityCheck } from './entities.ts'
import { expandedCount, type PaintNode } from './expansion.ts'
import {
  maxDepth,
  maxElements,
  maxMarkupLength,
  type Rules,
  rawTags,
  silentTags,
  voidTags,
} from './rules.ts'
import { createScanner, maxAttributes, type Tag } from './scan.ts'

const maxFaults = 20
const maxExpanded = 100_000

export type Sanitised = {
  /** Balanced markup of allowed tags and attributes only. */
  readonly clean: string
  /** Faults, each a rule and the value seen; empty = nothing that matters was dropped. */
  readonly faults: readonly string[]
  /** URLs of pictures, each once, in order. */
  readonly pictures: readonly string[]
}

type Open = { readonly name: string; readonly hidden: boolean; readonly node: number }

/**
 * Reads markup once, token by token, and rewrites it. The output holds only what was understood and
 * allowed here, so a browser that parses it differently still finds only allowed tags. Misnested
 * tags are closed where their parent closes. That is enough for HTML; an SVG must be whole, or it
 * may be half of its author's drawing. Time is linear in the source; nothing recurses. Without
 * `pictureOf`, pictures may have any http(s) URL, and the result lists them.
 */
export function sanitise(source: string, rules: Rules, pictureOf?: PictureAttributes): Sanitised {
  const walk = new Walk(rules, pictureOf)
  if (source.length > maxMarkupLength) {
    walk.fault(`${rules.language} is at most ${maxMarkupLength} characters. Got ${source.length}`)
  }
  const text = source.slice(0, maxMarkupLength)
  const scanner = createScanner(text)
  for (let piece = scanner.next(); piece && !walk.done; piece = scanner.next()) {
    if (piece.kind === 'tag') walk.entities(text.slice(piece.start, piece.end))
    if (piece.kind === 'text') walk.text(piece.raw)
    else if (piece.kind === 'cut') walk.cut(piece.source)
    else if (piece.kind === 'declaration') walk.declaration(piece.source)
    else if (piece.kind === 'overfull') {
      const start = shorten(piece.source.slice(0, 100))
      walk.fault(`A tag has at most ${maxAttributes} attributes. Got ${start}`)
    } else if (!piece.closing && rawTags.has(piece.name) && !walk.closesItself(piece)) {
      const end = endOfRaw(text, piece)
      walk.raw(piece, text.slice(piece.end, end.content))
      scanner.moveTo(end.behind)
    } else if (piece.closing) walk.close(piece.name)
    else walk.open(piece)
  }
  return walk.finish()
}

function endOfRaw(source: string, tag: Tag): { content: number; behind: number } {
  const end = new RegExp(`</${tag.name}[\\s/>]`, 'gi')
  end.lastIndex = tag.end
  const found = end.exec(source)
  if (!found) return { content: source.length, behind: source.length }
  const close = source.indexOf('>', found.index)
  return { content: found.index, behind: close === -1 ? source.length : close + 1 }
}

/** State of one pass over a source: open elements, output so far, faults. */
class Walk {
  readonly #rules: Rules
  readonly #stack: Open[] = []
  readonly #faults = new Set<string>()
  readonly #pictureOf: PictureAttributes | undefined
  readonly #pictures = new Set<string>()
  readonly #nodes: PaintNode[] = [{ children: [], id: undefined, references: [] }]
  readonly #names: string[][] = [[]]
  readonly #sheet: SheetReference[] = []
  #out: string[] = []
  #elements = 0
  /** Unreadable declarations. */
  #broken = 0
  /** The SVG's root was closed. */
  #ended = false
  readonly #undefinedEntity = makeEntityCheck()

  constructor(rules: Rules, pictureOf: PictureAttributes | undefined) {
    this.#rules = rules
    this.#pictureOf = pictureOf
  }

  /** True for `<style/>`: in an SVG, unlike in HTML, the slash ends the element. */
  closesItself(tag: Tag): boolean {
    return this.#inSvg && tag.selfClosing
  }

  get done(): boolean {
    return this.#elements > maxElements || this.#broken > maxBroken
  }

  get #hidden(): boolean {
    return this.#ended || (this.#stack.at(-1)?.hidden ?? false)
  }

  get #inSvg(): boolean {
    return this.#stack.some(({ name }) => name === 'svg')
  }

  fault(message: string): void {
    if (this.#faults.size < maxFaults) this.#faults.add(message)
  }

  get #isPicture(): boolean {
    return this.#rules.language === 'SVG'
  }

  /** Checks the character references in a piece of an SVG's source. */
  entities(source: string): void {
    const entity = this.#isPicture && this.#undefinedEntity(source)
    if (entity) this.fault(`An SVG may only name known characters. Got ${shorten(entity)}`)
  }

  cut(source: string): void {
    this.fault(`${this.#rules.language} may not end inside a tag. Got ${shorten(source)}`)
  }

  text(raw: string): void {
    this.entities(raw)
    if (this.#ended && raw.trim() !== '') this.#afterEnd(raw)
    if (!this.#hidden) this.#out.push(raw.replaceAll('\0', '').replaceAll('<', '&lt;'))
  }

  declaration(source: string): void {
    if (source.startsWith('<!--')) return
    if (this.#isPicture || /^<!(doctype|entity|\[CDATA)|^<\?/i.test(source)) {
      this.fault(
        `${this.#rules.language} may hold no doctype, entity, CDATA or processing instruction. Got ${shorten(source)}`,
      )
    }
  }

  /** Handles a tag whose content is not markup. */
  raw(tag: Tag, content: string): void {
    if (this.#ended) this.#afterEnd(`<${tag.name}>`)
    if (this.#hidden || (silentTags.has(tag.name) && this.#inSvg)) return
    if (tag.name !== 'style' || !this.#rules.sheets || !this.#inSvg) {
      this.fault(this.#refusal(tag.name))
      return
    }
    const sheet = content.replace(/^\s*<!\[CDATA\[|\]\]>\s*$/g, '')
    const { css, faults, references } = cleanSheet(sheet)
    for (const message of faults) this.fault(message)
    this.#sheet.push(...references)
    this.#out.push(`<style>${css}</style>`)
  }

  open(tag: Tag): void {
    this.#elements++
    if (this.#elements > maxElements)
      this.fault(`${this.#rules.language} holds at most ${maxElements} elements`)
    if (this.#ended) this.#afterEnd(`<${tag.name}>`)
    this.#closeImplied(tag.name)
    const isSvg = tag.name === 'svg' || this.#inSvg
    const hidden = this.#hidden || this.#refuses(tag, isSvg)
    const empty = isSvg ? tag.selfClosing : voidTags.has(tag.name)
    const node = hidden ? 0 : this.#write(tag, isSvg)
    if (empty) return
    // HTML loses only the tag and keeps its content, as browsers treat unknown tags.
    if (hidden && !isSvg && !this.#hidden) return
    this.#stack.push({ name: tag.name, hidden, node })
  }

  #write(tag: Tag, isSvg: boolean): number {
    const { source, faults, references, broken, picture } = cleanStartTag(tag, {
      isSvg,
      pictureOf: this.#pictureOf,
    })
    for (const message of faults) this.fault(message)
    if (picture !== undefined) this.#pictures.add(picture)
    this.#broken += broken
    if (this.#broken > maxBroken) this.fault(tooManyBroken)
    this.#out.push(source)
    const node = this.#nodes.length
    this.#nodes.push({ children: [], id: tag.attributes.get('id'), references })
    this.#nodes[this.#stack.at(-1)?.node ?? 0]?.children.push(node)
    const classes = tag.attributes.get('class')?.split(/\s+/) ?? []
    this.#names.push([tag.name, tag.attributes.get('id') ?? '', ...classes])
    return node
  }

  close(name: string): void {
    const at = this.#stack.findLastIndex((open) => open.name === name)
    // An end tag inside an SVG closes nothing outside of it.
    const wall = this.#stack.findLastIndex((open) => open.name === 'svg')
    const last = this.#stack.at(-1)?.name
    if (this.#isPicture && last !== name) {
      const open = last === undefined ? 'no tag is open' : `<${shorten(last)}> is open`
      this.fault(
        `An end tag of an SVG must close the last open tag. Got </${shorten(name)}>, but ${open}`,
      )
    }
    if (at !== -1 && at >= wall) this.#closeFrom(at)
  }

  finish(): Sanitised {
    const last = this.#stack.at(-1)?.name
    if (this.#isPicture && last !== undefined && !this.done) {
      this.fault(`Every tag of an SVG must be closed. Got <${shorten(last)}> without its end tag`)
    }
    this.#closeFrom(0)
    const bySheet = this.#nodes.map((node, index) => ({
      ...node,
      references: [...node.references, ...this.#sheetReferences(index)],
    }))
    const expanded = expandedCount(bySheet)
    if (expanded > maxExpanded) {
      this.fault(
        `${this.#rules.language} paints at most ${maxExpanded} elements once its references are followed. Got ${expanded}`,
      )
      this.#out = []
    }
    return { clean: this.#out.join(''), faults: [...this.#faults], pictures: [...this.#pictures] }
  }

  #sheetReferences(index: number): string[] {
    if (this.#sheet.length === 0 || index === 0) return []
    const own = new Set(this.#names[index])
    return this.#sheet
      .filter(({ names }) => names.length === 0 || names.some((name) => own.has(name)))
      .map(({ id }) => id)
  }

  #refuses(tag: Tag, isSvg: boolean): boolean {
    const { htmlTags, svgTags } = this.#rules
    if (isSvg ? svgTags.has(tag.name) : htmlTags.has(tag.name)) {
      if (this.#stack.length < maxDepth) return false
      this.fault(`Tags may be nested at most ${maxDepth} deep. Got <${tag.name}> deeper`)
      return true
    }
    const silent = isSvg && (silentTags.has(tag.name) || tag.name.includes(':'))
    if (!silent) this.fault(this.#refusal(tag.name, isSvg))
    return true
  }

  #refusal(name: string, isSvg = this.#inSvg): string {
    const { htmlTags, svgTags, language } = this.#rules
    const shown = shorten(name)
    if (!isSvg && /^(picture|source)$/.test(name)) return oneSource(`<${shown}>`)
    if (!isSvg && svgTags.has(name)) return `<${shown}> may only stand inside <svg>`
    if (isSvg && htmlTags.has(name)) return `<${shown}> may not stand inside <svg>`
    if (/^(animate|set$|mpath$)/.test(name)) {
      return `An SVG is painted as a still: <${shown}> is not allowed`
    }
    return `<${shown}> is not allowed in ${language}`
  }

  #afterEnd(seen: string): void {
    this.fault(`Nothing may follow </svg>. Got ${shorten(seen)}`)
  }

  /** Closes `<p>` and `<li>` at the next block: they need no end tag, as in every browser. */
  #closeImplied(name: string): void {
    if (this.#inSvg || !['p', 'div', 'ul', 'ol', 'li'].includes(name)) return
    if (name === 'li') {
      const item = this.#stack.findLastIndex((open) => /^(li|ul|ol)$/.test(open.name))
      if (this.#stack[item]?.name === 'li') this.#closeFrom(item)
    }
    const paragraph = this.#stack.findLastIndex((open) => open.name === 'p')
    if (paragraph !== -1) this.#closeFrom(paragraph)
  }

  #closeFrom(at: number): void {
    for (const { name, hidden } of this.#stack.splice(at).reverse()) {
      if (!hidden) this.#out.push(`</${name}>`)
    }
    if (at === 0 && this.#isPicture) this.#ended = true
  }
}
