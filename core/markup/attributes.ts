import { cleanDeclarations, shorten, tokenFault, urlReferences } from './css.ts'
import { filterFault } from './filters.ts'
import { isPictureUrl, pictureFault } from './inline-picture.ts'
import { htmlAttributes, maxPictureEdge } from './rules.ts'
import type { Tag } from './scan.ts'
import { svgAttributes, svgMarks } from './svg-attributes.ts'

export type CleanTag = {
  /** Start tag that is safe to hand to a browser. */
  readonly source: string
  readonly faults: readonly string[]
  /** Ids of other elements that this element paints as well. */
  readonly references: readonly string[]
  /** Declarations of its style that could not be read. */
  readonly broken: number
  /** URL of the picture that it shows. */
  readonly picture?: string
}

/** Attributes that stand for a picture's `src`; undefined = it is none of those that are known. */
export type PictureAttributes = (src: string) => Readonly<Record<string, string>> | undefined

type CleanAttribute = {
  value?: string
  fault?: string
  references?: readonly string[]
  broken?: number
  picture?: string
  instead?: Readonly<Record<string, string>>
}

/** Checks a start tag's attributes, and rewrites it from the allowed ones. */
export function cleanStartTag(
  tag: Tag,
  { isSvg, pictureOf }: { isSvg: boolean; pictureOf?: PictureAttributes | undefined },
): CleanTag {
  const faults: string[] = []
  const references: string[] = []
  let broken = 0
  let picture: string | undefined
  let source = `<${tag.name}`
  for (const [name, value] of tag.attributes) {
    const clean = isSvg
      ? cleanSvgAttribute({ tag, name, value })
      : cleanHtmlAttribute({ tag, name, value }, pictureOf)
    if (clean.fault) faults.push(clean.fault)
    references.push(...(clean.references ?? []))
    broken += clean.broken ?? 0
    picture ??= clean.picture
    const written = clean.instead ?? (clean.value === undefined ? {} : { [name]: clean.value })
    for (const [key, text] of Object.entries(written))
      source += ` ${key}="${escapeAttribute(text)}"`
  }
  source += isSvg && tag.selfClosing ? '/>' : '>'
  return { source, faults, references, broken, ...(picture !== undefined && { picture }) }
}

type Attribute = { readonly tag: Tag; readonly name: string; readonly value: string }

function cleanHtmlAttribute(
  { tag, name, value }: Attribute,
  pictureOf?: PictureAttributes,
): CleanAttribute {
  if (name.startsWith('on')) return { fault: eventFault(tag, name) }
  if (name === 'style') return cleanStyle(value)
  if (name.startsWith('data-') || name.startsWith('aria-')) return {}
  if (name === 'src') return cleanSrc(tag, value, pictureOf)
  if (tag.name === 'img' && (name === 'srcset' || name === 'sizes'))
    return { fault: oneSource(name) }
  if (htmlAttributes.has(name)) return { value }
  return { fault: `The attribute ${shorten(name)} is not allowed in <${tag.name}>` }
}

function cleanSrc(tag: Tag, value: string, pictureOf?: PictureAttributes): CleanAttribute {
  if (tag.name !== 'img') return { fault: `Only <img> may have src. Got <${tag.name} src>` }
  // Follows browsers' reading of a URL in an attribute.
  const src = value.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '')
  const instead = pictureOf?.(src)
  if (instead) return { instead }
  if (isPictureUrl(src) && !pictureOf) return { value: src, picture: src }
  const fault = pictureFault(value)
  return fault ? { fault } : { value }
}

/** A page is painted once, at one size: nothing is left to choose between sources. */
export function oneSource(seen: string): string {
  return `A picture has one source: give <img> a src in place of ${seen}`
}

function cleanSvgAttribute({ tag, name, value }: Attribute): CleanAttribute {
  if (name.startsWith('on')) return { fault: eventFault(tag, name) }
  if (name === 'style') return cleanStyle(value)
  if (name === 'href' || name === 'xlink:href') return cleanHref(tag, value)
  if (name === 'src') return { fault: `src is not allowed in SVG. Got ${shorten(value)}` }
  if (name === 'xml:space') return { value }
  if (name === 'xmlns' || isNote(name)) return {}
  if (!svgAttributes.has(name)) {
    return { fault: `The attribute ${shorten(name)} is not allowed in <${tag.name}>` }
  }
  const fault =
    tokenFault(value) ?? sizeFault({ tag, name, value }) ?? filterFault(tag.name, name, value)
  return fault ? { fault } : { value, references: urlReferences(value).ids }
}

/**
 * True for data, and for names with the prefix of a drawing program (`inkscape:label`): they paint
 * nothing. Names with XML's own prefix pass only if they change nothing, so not `xml:base`.
 */
function isNote(name: string): boolean {
  if (name.startsWith('xml:')) return name === 'xml:lang' || name === 'xml:id'
  return (
    svgMarks.has(name) || /^(?:data|aria)-/.test(name) || /^[a-z_][\w.-]*:[a-z_][\w.-]*$/.test(name)
  )
}

function cleanHref(tag: Tag, value: string): CleanAttribute {
  const target = /^\s*#(\S+)\s*$/.exec(value)?.[1]
  if (target) return { value, references: [target] }
  return {
    fault: `href may only name an element of the same picture, as in #id. Got ${shorten(value)} in <${tag.name}>`,
  }
}

function cleanStyle(value: string): CleanAttribute {
  const { css, faults, references, broken } = cleanDeclarations(value)
  return { value: css, references, broken, ...(faults[0] ? { fault: faults[0] } : {}) }
}

function eventFault(tag: Tag, name: string): string {
  return `Event attributes are not allowed. Got ${shorten(name)} in <${tag.name}>`
}

/** CSS px of each absolute unit, https://www.w3.org/TR/css-values-4/#absolute-lengths. */
const pxOfUnit: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 96 / 72,
  pc: 16,
  in: 96,
  cm: 96 / 2.54,
  mm: 96 / 25.4,
  q: 96 / 101.6,
}

function sizeFault({ tag, name, value }: Attribute): string | undefined {
  if (tag.name !== 'svg') return undefined
  const seen =
    name === 'viewbox'
      ? value
          .trim()
          .split(/[\s,]+/)
          .slice(2, 4)
          .map(Number)
      : name === 'width' || name === 'height'
        ? [lengthPx(value)]
        : []
  if (!seen.some((edge) => edge > maxPictureEdge)) return undefined
  const label = name === 'viewbox' ? 'viewBox' : name
  return `An SVG's width, height and viewBox are at most ${maxPictureEdge}. Got ${label} ${shorten(value)}`
}

/** Returns 0 for a length that depends on its surroundings, such as `100%`. */
function lengthPx(value: string): number {
  const [, number, unit = ''] = /^\s*\+?([\d.]+(?:e[+-]?\d+)?)\s*([a-z]*)\s*$/i.exec(value) ?? []
  return number ? Number(number) * (pxOfUnit[unit.toLowerCase()] ?? 0) : 0
}

function escapeAttribute(value: string): string {
  return value
    .replace(/&/g, '&amp;')
    .replace(/"/g, '&quot;')
    .replace(/</g, '&lt;')
    .replaceAll('\0', '')
}
