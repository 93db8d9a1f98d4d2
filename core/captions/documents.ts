import { captionFont } from '../looks/caption-rows.ts'
import { askedFamilies, fallbackFamilies } from '../looks/family-chain.ts'
import { isPlainText, missingCharacters, missingGlyphMessage } from '../looks/missing-glyphs.ts'
import type { Warning } from '../project/lint/warning.ts'
import type { ResolvedProject, ResolvedSubtitle } from '../project/resolved.ts'
import type { BakeDocument } from '../queue/tasks.ts'
import type { Facts } from '../timeline/facts.ts'
import { mediaKey } from '../timeline/facts.ts'
import { knownSeconds } from '../timeline/length.ts'
import { type CaptionLine, captionLines, type LineWord, partsOf } from './lines.ts'

/**
 * Pictures that a line is composed of; all have one layout. `plate`: the background alone. `plain`
 * and `active`: all words as they are, and all as the active word. The parts are measured in `plain`.
 */
export type LineDocuments = {
  readonly plate?: BakeDocument
  readonly plain: BakeDocument
  readonly active?: BakeDocument
}

/** Returns the lines of a project's subtitle; none while its file has not been read. */
export function linesOf(
  subtitle: ResolvedSubtitle,
  project: ResolvedProject,
  media: Facts['media'],
): CaptionLine[] {
  const { src, captions } = subtitle
  if (src === undefined) {
    const placed = captions.map((each, i) => ({ ...each, field: `subtitle.captions[${i}]` }))
    return captionLines(placed, subtitle)
  }
  const facts = media.get(mediaKey({ expect: 'subtitle', url: src }))?.facts
  if (facts?.kind !== 'subtitle') return []
  const field = 'subtitle.src'
  // Once the file has been read, all media have been, so the film's length is known.
  const seconds = knownSeconds(project, { media, bakes: new Map() })
  const seen = facts.captions.filter(({ start }) => start < seconds)
  return captionLines(
    seen.map((each) => ({ ...each, field })),
    subtitle,
  )
}

/** Returns the warnings about a subtitle's file. */
export function captionWarnings(project: ResolvedProject, media: Facts['media']): Warning[] {
  const { subtitle } = project
  if (subtitle?.src === undefined) return []
  const facts = media.get(mediaKey({ expect: 'subtitle', url: subtitle.src }))?.facts
  const field = 'subtitle.src'
  const warnings = facts?.kind === 'subtitle' ? (facts.warnings ?? []) : []
  return [
    ...warnings.map((message): Warning => ({ field, code: 'subtitle_file', message })),
    ...missingCaptionGlyphs(project, media),
  ]
}

/**
 * Warns once of characters in the captions that no bundled font has, at the first such caption.
 * Returns nothing while the file has not been read.
 */
export function missingCaptionGlyphs(project: ResolvedProject, media: Facts['media']): Warning[] {
  const { subtitle } = project
  if (!subtitle) return []
  const families = askedFamilies(`"${familyName(subtitle.font.family)}"`)
  const missing = new Set<string>()
  let field: string | undefined
  for (const line of linesOf(subtitle, project, media)) {
    const text = line.words.map(({ text }) => text).join(' ')
    if (isPlainText(text)) continue
    for (const each of missingCharacters(text, [...families, ...fallbackFamilies(text)])) {
      missing.add(each)
      field ??= line.field
    }
  }
  if (field === undefined) return []
  return [{ field, code: 'missing_glyph', message: missingGlyphMessage([...missing]) }]
}

export function lineDocuments(
  line: CaptionLine,
  subtitle: ResolvedSubtitle,
  canvas: Pick<ResolvedProject, 'width' | 'height'>,
): LineDocuments {
  const { background, activeWord, animation, margin, stroke } = subtitle
  const { width, height } = canvas
  const shared = { kind: 'html', canvas: { width, height }, field: line.field } as const
  const style = lineStyle(line, subtitle)
  const inside = width - 2 * Math.max(0, margin.x) - 2 * (background?.padding ?? 0)
  const rows = { room: Math.max(1, Math.round(inside)) }
  const drawn = { ...shared, rows: { ...rows, ...(stroke && stroke.width > 0 && { stroke }) } }
  const markup = (css: string) => lineMarkup(line, animation, css)
  return {
    plain: { ...drawn, markup: markup(''), style, parts: true },
    ...(activeWord && {
      active: {
        ...drawn,
        markup: markup(activeCss(activeWord, reachOf(line, subtitle))),
        style: { ...style, color: activeWord.color },
      },
    }),
    ...(background && {
      plate: {
        ...shared,
        rows,
        markup: `<span style="visibility: hidden">${markup('')}</span>`,
        style: {
          ...style,
          backgroundColor: withAlpha(background),
          borderRadius: `${background.radius}px`,
        },
      },
    }),
  }
}

/** Style properties that decide the layout. */
function lineStyle(
  { words }: CaptionLine,
  { font, background, position }: ResolvedSubtitle,
): Record<string, string | number> {
  return {
    padding: `${background?.padding ?? 0}px`,
    textAlign: position.split('-')[1] ?? 'center',
    direction: isRightToLeft(words.map(({ text }) => text).join(' ')) ? 'rtl' : 'ltr',
    fontFamily: `"${familyName(font.family)}"`,
    ...captionFont(font.size),
    fontWeight: font.bold ? 700 : 400,
    fontStyle: font.italic ? 'italic' : 'normal',
    color: font.color,
    whiteSpace: 'nowrap',
  }
}

/** Strips a family's name to characters that are safe in CSS. */
function familyName(family: string): string {
  return family.replace(/[^\p{L}\p{N} _-]/gu, '').trim() || 'Poppins'
}

/** Distance that a word's background extends into the gaps beside it, px; 0 where words are joined. */
function reachOf({ words }: CaptionLine, { font }: ResolvedSubtitle): number {
  return words.some(({ joined }) => joined) ? 0 : Math.round(font.size * 0.6) / 10
}

/** CSS of the active word. Its own background is as high as the row. */
function activeCss(
  { background, radius }: NonNullable<ResolvedSubtitle['activeWord']>,
  reach: number,
): string {
  if (background === undefined) return ''
  return [
    `background: ${background}; border-radius: ${radius}px`,
    `margin: 0 ${-reach}px; padding: 0 ${reach}px`,
  ].join('; ')
}

function withAlpha({ color, opacity }: { color: string; opacity: number }): string {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return `rgba(${r}, ${g}, ${b}, ${opacity})`
}

function lineMarkup(
  line: CaptionLine,
  animation: ResolvedSubtitle['animation'],
  css: string,
): string {
  const style = css === '' ? '' : ` style="${css}"`
  const words = partsOf(line, animation).map((parts) => {
    const spans = parts.map(({ text }) => `<span class="part"${style}>${escaped(text)}</span>`)
    return `<span class="word">${spans.join('')}</span>`
  })
  return words.map((word, i) => (i === 0 ? word : `${gapBefore(line.words[i])}${word}`)).join('')
}

function gapBefore(word: LineWord | undefined): string {
  if (word?.breaks) return '<br>'
  return word?.joined ? '' : '<span class="space"> </span>'
}

const entities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign)
}

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u

/** Judges by the first letter. */
export function isRightToLeft(text: string): boolean {
  return rightToLeft.test(/\p{L}/u.exec(text)?.[0] ?? '')
}
