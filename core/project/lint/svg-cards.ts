import { createScanner, type Tag } from '../../markup/scan.ts'
import type { Rect, Size } from '../../timeline/rect.ts'
import { readColor } from './colors.ts'
import type { EdgeBox } from './scenery.ts'
import { readDeclarations } from './styles.ts'
import type { Card } from './typeset.ts'

/** Longest drawing that is examined; a longer one is no plain ground. */
const maxMarkup = 2_000

/**
 * Returns the fills of an SVG made of plain rectangles, bottom first, px of its box. Undefined for
 * any other, whose look is unknown.
 */
export function svgCards(svg: string, { left, top, right, bottom }: EdgeBox): Card[] | undefined {
  const [width, height] = [right - left, bottom - top]
  if (svg.length > maxMarkup || !Number.isFinite(width * height)) return undefined
  const cards: Card[] = []
  let view: readonly number[] | undefined
  const scanner = createScanner(svg)
  for (let piece = scanner.next(); piece; piece = scanner.next()) {
    if (piece.kind !== 'tag' || piece.closing) continue
    if (piece.name === 'svg' && !view) {
      view = viewOf(piece, { width, height })
      if (!view) return undefined
      continue
    }
    if (piece.name !== 'rect' || !view) return undefined
    const card = cardOf(piece, view, { width, height })
    if (!card) return undefined
    cards.push(card)
  }
  return cards
}

/** Returns the viewBox, when its shape is the box's own. */
export function viewOf(tag: Tag, { width, height }: Size): readonly number[] | undefined {
  const own = ['width', 'height'].map((name) => tag.attributes.get(name)).join(' ')
  const usual = /^[\d.]+(px)? [\d.]+(px)?$/.test(own) ? `0 0 ${own.replaceAll('px', '')}` : ''
  const numbers = (tag.attributes.get('viewbox') ?? usual).trim().split(/[\s,]+/)
  const [x = 0, y = 0, wide = width, high = height] = numbers.filter(Boolean).map(Number)
  const isAlike = Math.abs((wide * height) / (high * width) - 1) < 0.01
  return isAlike ? [x, y, wide, high] : undefined
}

function cardOf(tag: Tag, view: readonly number[], size: Size): Card | undefined {
  const { attributes } = tag
  const own = readDeclarations(attributes.get('style') ?? '')
  const said = (name: string) => own.get(name) ?? attributes.get(name)
  if (['transform', 'filter', 'mask', 'clip-path'].some((name) => said(name) !== undefined)) {
    return undefined
  }
  const rect = rectOf(tag, view, size)
  if (!rect) return undefined
  const isFaint = ['opacity', 'fill-opacity'].some((name) => Number(said(name) ?? 1) !== 1)
  const color = isFaint ? undefined : readColor(said('fill') ?? 'black')
  return { rect, color: color?.a === 1 ? color : undefined }
}

/** Place of a `rect` in its drawing's box, px. */
export function rectOf(
  { attributes }: Tag,
  [viewX = 0, viewY = 0, wide = 1, high = 1]: readonly number[],
  { width, height }: Size,
): Rect | undefined {
  const px = (name: string, whole: number) => {
    const text = attributes.get(name) ?? '0'
    const number = Number.parseFloat(text)
    return text.endsWith('%') ? (number / 100) * whole : number
  }
  const across = width / wide
  const down = height / high
  const rect = [
    (px('x', wide) - viewX) * across,
    (px('y', high) - viewY) * down,
    px('width', wide) * across,
    px('height', high) * down,
  ] as const
  return rect.every(Number.isFinite) ? rect : undefined
}
