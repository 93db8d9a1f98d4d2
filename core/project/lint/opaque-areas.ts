import { createScanner, type Tag } from '../../markup/scan.ts'
import type { ResolvedVisual } from '../../visuals/resolved.ts'
import type { Markup } from '../../visuals/visual-type.ts'
import { visualTypeOf } from '../../visuals/visual-types.ts'
import { readColor } from './colors.ts'
import { readTree } from './markup-tree.ts'
import { type Actor, contains, type EdgeBox, onCanvas } from './scenery.ts'
import { type Declarations, declarationsOf, readDeclarations } from './styles.ts'
import { isPlain, type Root, rectOf, rootOf, saidIn } from './svg-cards.ts'

/** Area that an element hides: a rectangle, perhaps with round corners. */
export type OpaqueArea = {
  readonly box: EdgeBox
  /** Largest radius of a corner, canvas px. */
  readonly radius: number
}

/** Answers whether an area hides a box; its corners suffice, as both are convex. */
export function hides({ box, radius }: OpaqueArea, inner: EdgeBox): boolean {
  if (!contains(box, inner)) return false
  const round = Math.min(radius, (box.right - box.left) / 2, (box.bottom - box.top) / 2)
  if (round <= 0) return true
  const beyond = (at: number, from: number, to: number) =>
    Math.max(from + round - at, at - (to - round), 0)
  return [inner.left, inner.right].every((x) =>
    [inner.top, inner.bottom].every((y) => {
      const across = beyond(x, box.left, box.right)
      return Math.hypot(across, beyond(y, box.top, box.bottom)) <= round
    }),
  )
}

/**
 * Returns the areas that an element surely hides while it stands still. A picture counts only where
 * the end of its URL says that its format has no transparency.
 */
export function createOpaqueAreas(): (actor: Actor) => readonly OpaqueArea[] {
  const areas = new Map<Actor, readonly OpaqueArea[]>()
  const rectsOf = createRects()
  return (actor) => {
    const known = areas.get(actor) ?? opaqueAreas(actor, rectsOf)
    areas.set(actor, known)
    return known
  }
}

function opaqueAreas(actor: Actor, rectsOf: typeof opaqueRects): OpaqueArea[] {
  const { visual, markup, box } = actor
  const isFlat = visual.opacity === 1 && visual.angle % 360 === 0 && !('code' in visual)
  if (!isFlat || isKeyed(visual)) return []
  if (markup?.kind === 'html') return cardAreas(actor, markup)
  if (markup) return isKnown(box) ? rectsOf(markup, box).map((area) => placed(actor, area)) : []
  const format = visualTypeOf(visual).opaqueFormat(visual)
  return format && 'src' in visual ? pictureArea(visual, box, format) : []
}

function isKeyed(visual: ResolvedVisual): boolean {
  const isBlurred = 'filter' in visual && (visual.filter?.blur ?? 0) > 0
  return isBlurred || ('chromaKey' in visual && visual.chromaKey !== undefined)
}

function isKnown(box: EdgeBox): boolean {
  return Object.values(box).every(Number.isFinite)
}

/** Orders of image services, which make another format of a file or cut out its background. */
const otherFormat = /png|webp|avif|gif|background|bg-?rem|remove-?bg|cut-?out/i

function pictureArea(
  { src, resize, radius }: Extract<ResolvedVisual, { src: string }>,
  box: EdgeBox,
  format: RegExp,
): OpaqueArea[] {
  const { pathname = '', search = '' } = URL.canParse(src) ? new URL(src) : {}
  const folders = pathname.slice(0, pathname.lastIndexOf('/'))
  const isOther = otherFormat.test(folders) || otherFormat.test(search)
  if (resize === 'contain' || !isKnown(box) || !format.test(pathname) || isOther) return []
  return [{ box, radius: Math.max(...Object.values(radius)) }]
}

function placed(
  actor: Actor,
  { rect, radius }: ReturnType<typeof opaqueRects>[number],
): OpaqueArea {
  return { box: onCanvas(actor, rect), radius }
}

/** Declarations that neither move an element nor let anything through, its size apart. */
const looks =
  /^(?:color|background(?:-color)?|font[a-z-]*|line-height|letter-spacing|text-(?:align|transform|decoration)|white-space|box-shadow|border-radius)$/
/** Further ones that only concern what is inside, or make the element larger. */
const inside =
  /^(?:padding[a-z-]*|border(?:-(?:width|style|color))?|overflow|gap|flex-direction|align-items|justify-content)$/

/**
 * Finds the fill of a block whose size is written, below nothing but blocks that have one child.
 * Other sizes and places are guesses.
 */
function cardAreas(actor: Actor, { markup, style }: Markup): OpaqueArea[] {
  const { visual, words } = actor
  if (!words || !isKnown(actor.box)) return []
  let at = readTree(markup, declarationsOf(style))
  let size: { width?: number | undefined; height?: number | undefined } = visual
  for (;;) {
    const { own, children } = at
    const width = size.width ?? pxOf(own.get('width'))
    const height = size.height ?? pxOf(own.get('height'))
    if (width && height && isSolid(own)) {
      const box = onCanvas(actor, [0, 0, width, height])
      return [{ box, radius: radiusOfBlock(own.get('border-radius')) }]
    }
    const [child, ...others] = children.filter(
      (each) => typeof each !== 'string' || each.trim() !== '',
    )
    const holds = others.length === 0 && [...own.keys()].every((name) => looks.test(name))
    if (!holds || typeof child !== 'object' || child.tag !== 'div') return []
    at = child
    size = {}
  }
}

function isSolid(own: Declarations): boolean {
  const isBlock = /^(?:block|flex)$/.test(own.get('display') ?? 'block')
  const isPlaced = [...own.keys()].every(
    (name) => looks.test(name) || inside.test(name) || /^(?:width|height|display)$/.test(name),
  )
  return isBlock && isPlaced && readColor(own.get('background-color') ?? '')?.a === 1
}

function pxOf(value: string | undefined): number | undefined {
  return /^[\d.]+px$/.test(value ?? '') ? Number.parseFloat(value ?? '') : undefined
}

/** Largest radius of a block; other units may be any. */
function radiusOfBlock(value = '0'): number {
  const radii = value.split(/[\s/]+/).map((each) => (each === '0' ? 0 : (pxOf(each) ?? Infinity)))
  return Math.max(...radii)
}

/** Longest drawing that is examined, and most markup of all. */
const maxDrawing = 20_000
const maxMarkup = 200_000
/** Elements whose children are not painted where they stand, or not at all. */
const containers = new Set(['g', 'defs', 'mask', 'pattern', 'symbol', 'a', 'switch', 'marker'])

/** Reads each distinct drawing once, such as those of a scene's clones. */
function createRects(): typeof opaqueRects {
  const known = new Map<string, ReturnType<typeof opaqueRects>>()
  let characters = 0
  return (drawing, box) => {
    const key = `${box.right - box.left}x${box.bottom - box.top} ${drawing.markup}`
    const found = known.get(key)
    if (found) return found
    characters += drawing.markup.length
    if (characters > maxMarkup) return []
    const rects = opaqueRects(drawing, box)
    known.set(key, rects)
    return rects
  }
}

/** Opaque rectangles at the top of a drawing, px of its box; anything else only paints more. */
function opaqueRects({ markup: svg }: Markup, { left, top, right, bottom }: EdgeBox) {
  const size = { width: right - left, height: bottom - top }
  if (
    svg.length > maxDrawing ||
    /<(?:animate|set)/i.test(svg) ||
    size.width <= 0 ||
    size.height <= 0
  )
    return []
  const gradients = opaqueGradients(svg)
  let root: Root | undefined
  const found: { rect: readonly [number, number, number, number]; radius: number }[] = []
  let depth = 0
  const scanner = createScanner(svg)
  for (let piece = scanner.next(); piece; piece = scanner.next()) {
    if (piece.kind !== 'tag') continue
    const { name, closing, selfClosing } = piece
    if (name === 'svg' && !root) {
      root = rootOf(piece, size)
      if (!root) return []
      continue
    }
    if (name === 'rect' && depth === 0 && !closing && root && isOpaque(piece, root, gradients)) {
      const rect = rectOf(piece, root.view, size)
      if (rect) found.push({ rect, radius: radiusOf(piece, root.view, size) })
    }
    const nests = containers.has(name) || /^(?:svg|clippath|\w+gradient|text)$/.test(name)
    if (nests && !selfClosing) depth += closing ? -1 : 1
  }
  return found
}

function isOpaque(tag: Tag, root: Root, gradients: ReadonlySet<string>): boolean {
  const said = saidIn(root, tag)
  const isFaint = ['opacity', 'fill-opacity'].some((name) => Number(said(name) ?? 1) !== 1)
  if (!isPlain(tag) || isFaint) return false
  const fill = said('fill') ?? 'black'
  const gradient = /^url\(["']?#([^"')]+)["']?\)/.exec(fill.trim())?.[1]
  return gradient === undefined ? readColor(fill)?.a === 1 : gradients.has(gradient)
}

/** Ids of the gradients with opaque stops only. */
function opaqueGradients(svg: string): Set<string> {
  const opaque = new Set<string>()
  const known = new Set<string>()
  let id: string | undefined
  let stops: boolean[] = []
  const scanner = createScanner(svg)
  for (let piece = scanner.next(); piece; piece = scanner.next()) {
    if (piece.kind !== 'tag') continue
    const { name, closing, attributes } = piece
    if (name.endsWith('gradient')) {
      if (closing && id !== undefined && !known.has(id)) {
        known.add(id)
        if (stops.length > 0 && !stops.includes(false)) opaque.add(id)
      }
      id = closing ? undefined : attributes.get('id')
      stops = []
    } else if (name === 'stop' && !closing) {
      const own = readDeclarations(attributes.get('style') ?? '')
      const said = (key: string) => own.get(key) ?? attributes.get(key)
      const isFull = Number(said('stop-opacity') ?? 1) === 1
      stops.push(isFull && readColor(said('stop-color') ?? 'black')?.a === 1)
    }
  }
  return opaque
}

function radiusOf(
  { attributes }: Tag,
  [, , wide = 1, high = 1]: readonly number[],
  { width, height }: { width: number; height: number },
): number {
  const own = readDeclarations(attributes.get('style') ?? '')
  const radii = ['rx', 'ry'].flatMap((name) => own.get(name) ?? attributes.get(name) ?? [])
  const px = radii.map((text) =>
    /^[\d.]+(?:px)?$/.test(text) ? Number.parseFloat(text) : Infinity,
  )
  return Math.max(0, ...px) * Math.max(width / wide, height / high)
}
