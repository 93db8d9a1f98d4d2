import { createScanner, type Tag } from '../../markup/scan.ts'
import type { Rect, Size } from '../../timeline/rect.ts'
import { type Color, readColor } from './colors.ts'
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
  let root: Root | undefined
  const scanner = createScanner(svg)
  for (let piece = scanner.next(); piece; piece = scanner.next()) {
    if (piece.kind !== 'tag' || piece.closing) continue
    if (piece.name === 'svg' && !root) {
      root = rootOf(piece, { width, height })
      if (!root) return undefined
      if (root.ground !== undefined)
        cards.push({ rect: [0, 0, width, height], color: solid(root.ground) })
      continue
    }
    if (piece.name !== 'rect' || !root) return undefined
    const card = cardOf(piece, root, { width, height })
    if (!card) return undefined
    cards.push(card)
  }
  return cards
}

/** An `svg` tag: its view, what its shapes inherit, and the fill behind them. */
export type Root = {
  readonly view: readonly number[]
  readonly said: Said
  readonly ground: string | undefined
}

/** Value of a property, in a `style` or an attribute. */
type Said = (name: string) => string | undefined

/** Returns undefined where the drawing is not simply stretched into its box, or is not solid. */
export function rootOf(tag: Tag, size: Size): Root | undefined {
  const view = viewOf(tag, size)
  const said = saidBy(tag)
  if (!view || !isPlain(tag, sizes) || said('opacity') !== undefined) return undefined
  const own = readDeclarations(tag.attributes.get('style') ?? '')
  return { view, said, ground: own.get('background-color') }
}

function saidBy({ attributes }: Tag): Said {
  const own = readDeclarations(attributes.get('style') ?? '')
  return (name) => own.get(name) ?? attributes.get(name)
}

/** Reads a shape that stands directly in a root. */
export function saidIn({ said }: Root, tag: Tag): Said {
  const own = saidBy(tag)
  return (name) => own(name) ?? said(name)
}

/** Properties of a `style` that leave a shape where its attributes put it. */
const looks = /^(?:fill|fill-rule|fill-opacity|opacity|stroke[a-z-]*|background(?:-color)?|rx|ry)$/
/** Properties of a root that the farm sets itself (worker/bake/page/mount.ts). */
const sizes = /^(?:width|height|display)$/
const placing = [
  ...['transform', 'filter', 'mask', 'clip-path'],
  ...['display', 'visibility', 'mix-blend-mode'],
]

/** True for a shape that nothing moves, hides or blends. `more`: other properties allowed. */
export function isPlain({ attributes }: Tag, more?: RegExp): boolean {
  const own = readDeclarations(attributes.get('style') ?? '')
  return (
    placing.every((name) => !attributes.has(name)) &&
    [...own.keys()].every((name) => looks.test(name) || more?.test(name))
  )
}

/** Returns the viewBox, when its shape is the box's own. */
function viewOf(tag: Tag, { width, height }: Size): readonly number[] | undefined {
  const own = ['width', 'height'].map((name) => tag.attributes.get(name)).join(' ')
  const usual = /^[\d.]+(px)? [\d.]+(px)?$/.test(own) ? `0 0 ${own.replaceAll('px', '')}` : ''
  const numbers = (tag.attributes.get('viewbox') ?? usual).trim().split(/[\s,]+/)
  const [x = 0, y = 0, wide = width, high = height] = numbers.filter(Boolean).map(Number)
  const isAlike = Math.abs((wide * height) / (high * width) - 1) < 0.01
  return isAlike ? [x, y, wide, high] : undefined
}

function cardOf(tag: Tag, root: Root, size: Size): Card | undefined {
  const rect = isPlain(tag) ? rectOf(tag, root.view, size) : undefined
  if (!rect) return undefined
  const said = saidIn(root, tag)
  const isFaint = ['opacity', 'fill-opacity'].some((name) => Number(said(name) ?? 1) !== 1)
  return { rect, color: isFaint ? undefined : solid(said('fill') ?? 'black') }
}

function solid(fill: string): Color | undefined {
  const color = readColor(fill)
  return color?.a === 1 ? color : undefined
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
