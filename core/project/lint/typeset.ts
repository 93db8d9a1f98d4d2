import type { Rect } from '../../timeline/rect.ts'
import type { ResolvedText } from '../../visuals/text/resolved.ts'
import {
  boxOf,
  type LayoutBox,
  outerWidest,
  pictures,
  type Run,
  runWidth,
  shownText,
} from './boxes.ts'
import type { Color } from './colors.ts'
import { defaultLook, type Look, leavesFlow } from './look.ts'
import { type Branch, readTree } from './markup-tree.ts'
import { type Declarations, declarationsOf, lengthOf } from './styles.ts'

/**
 * Rough layout of a TEXT's words, without a browser and without fonts: blocks, lines, flex rows and
 * columns, and mean widths of letters. Good enough to find words that leave the canvas by a hand's
 * width, or titles that overlap; never for painting.
 */
export type Typeset = {
  readonly width: number
  readonly height: number
  readonly lines: readonly Line[]
  /** Fills, bottom first, that other texts may lie on. */
  readonly cards: readonly Card[]
  /** Height that the content needs, px, whatever the given height. */
  readonly contentHeight: number
  /** Contains a picture or fill at an unknown position: the ground of its words is unknown. */
  readonly hasBackdrop: boolean
  readonly hasPictures: boolean
  /** Contains a part at an unknown position, so that the element's box says little. */
  readonly loose: boolean
}

/** Words of one look on one line. */
export type Line = {
  readonly text: string
  readonly look: Look
  /** Core of the letters, px from the element's corner. */
  readonly rect: Rect
}

/** `color`: undefined unless it is one flat opaque colour. */
export type Card = {
  readonly rect: Rect
  readonly color: Color | undefined
  /** True for the border, outline and shadow of a box, which hide nothing for certain. */
  readonly isRim?: boolean
}

/** Most lines that are laid out. */
const maxLines = 500

type Canvas = { readonly width: number; readonly height: number }

type Text = Pick<ResolvedText, 'html' | 'style'> & {
  readonly width?: number | undefined
  readonly height?: number | undefined
}

export function typeset(text: Text, canvas: Canvas): Typeset {
  const tree = readTree(text.html, declarationsOf(text.style))
  const root = boxOf(tree, defaultLook(canvas))
  const { edges } = root
  const sides = edges.left + edges.right
  const styled = lengthOf(root.own.get('width'), { ...root.look, whole: canvas.width })
  const inner = text.width ?? styled ?? Math.min(root.widest, canvas.width - sides)
  const placed = layOut(root, { width: inner + sides, height: text.height })
  const lines = placed.lines.slice(0, maxLines)
  const { content: contentHeight, height, cards } = placed
  const shared = {
    loose: isLoose(root) || hasPictures(tree),
    hasBackdrop: hasBackdrop(tree),
    contentHeight,
    hasPictures: hasPictures(tree),
  }
  return { width: inner + sides, height, lines, cards, ...shared }
}

function isLoose({ look, items }: LayoutBox): boolean {
  return !look.inFlow || items.some((item) => item.kind === 'box' && isLoose(item))
}

/** True for a picture or a fill that is out of the flow, or moved by a transform. */
function hasBackdrop({ tag, own, children }: Branch, isOut = false): boolean {
  const isPlaced = isOut || leavesFlow(own) || /^-/.test(own.get('margin-top') ?? '')
  const isPainted =
    pictures.has(tag) ||
    own.has('background') ||
    own.has('background-color') ||
    own.has('background-image')
  if (isPlaced && isPainted) return true
  return children.some((child) => typeof child !== 'string' && hasBackdrop(child, isPlaced))
}

function hasPictures({ tag, children }: Branch): boolean {
  return (
    pictures.has(tag) || children.some((child) => typeof child !== 'string' && hasPictures(child))
  )
}

/** Coordinates from the border box's corner. */
type Placed = { readonly height: number; readonly lines: Line[]; readonly cards: Card[] }

/** `width`: of the border box. `height`: of the content, where it is given. */
function layOut(
  box: LayoutBox,
  { width, height: given }: { width: number; height?: number | undefined },
): Placed & { readonly content: number } {
  const { edges, look } = box
  const inner = Math.max(1, width - edges.left - edges.right)
  const content = box.layout === 'row' ? layOutRow(box, inner) : layOutFlow(box, inner)
  const sides = edges.top + edges.bottom
  const asked = given ?? heightGiven(box, sides)
  const outer = Math.max(asked ?? content.height, minHeight(box)) + sides
  const spare = outer - sides - content.height
  const down = box.layout === 'flow' ? 0 : share(crossOrMain(box, 'vertical')) * Math.max(0, spare)
  const moved = move(content, edges.left, edges.top + down)
  const fill = look.fills.at(-1)
  const hasOwn = look.fills.length > box.outerFills
  const isCard = hasOwn && look.inFlow && fill?.a !== 0
  const color = fill?.a === 1 ? fill : undefined
  const area = [0, 0, width, outer] as const
  const { border, reach } = rimOf(box)
  const hasRim = look.inFlow && border + reach > 0
  const cards = [
    ...(hasRim ? [{ rect: grown(area, reach), color: undefined, isRim: true }] : []),
    ...(isCard ? [{ rect: grown(area, -border), color }] : []),
  ]
  const { height } = content
  return { height: outer, content: height, lines: moved.lines, cards: [...cards, ...moved.cards] }
}

/** Width of a box's border, and the reach of its outline and shadows beyond it, px. */
function rimOf({ own, look }: LayoutBox): { border: number; reach: number } {
  const border = lengthOf(own.get('border-width')?.split(/\s+/)[0], look) ?? 0
  const outline = own.get('outline') ?? own.get('outline-width') ?? ''
  return { border, reach: lengthsIn(outline) + lengthsIn(own.get('box-shadow') ?? '') }
}

/** Sum of all lengths in a value, px: an upper bound of an offset, a blur and a spread together. */
function lengthsIn(value: string): number {
  const lengths = value.matchAll(/(?<![\w.#])[-+]?(\d+\.?\d*|\.\d+)px/g)
  return Array.from(lengths, ([, length]) => Number(length)).reduce((a, b) => a + b, 0)
}

function grown([x, y, width, height]: Rect, by: number): Rect {
  return [x - by, y - by, Math.max(0, width + 2 * by), Math.max(0, height + 2 * by)]
}

function heightGiven({ own, look }: LayoutBox, sides: number): number | undefined {
  const given = lengthOf(own.get('height'), look)
  return given !== undefined && own.get('box-sizing') === 'border-box' ? given - sides : given
}

function minHeight({ own, look }: LayoutBox): number {
  return lengthOf(own.get('min-height'), look) ?? 0
}

/** Position in the free space: 0 at its start, 1 at its end. */
function share(value: string): number {
  if (/center|space-around|space-evenly/.test(value)) return 0.5
  return /end|right/.test(value) ? 1 : 0
}

function crossOrMain({ layout, own }: LayoutBox, axis: 'vertical' | 'horizontal'): string {
  const main = (layout === 'row') === (axis === 'horizontal')
  return own.get(main ? 'justify-content' : 'align-items') ?? own.get('place-items') ?? ''
}

function move({ height, lines, cards }: Placed, dx: number, dy: number): Placed {
  const shift = ([x, y, w, h]: Rect): Rect => [x + dx, y + dy, w, h]
  return {
    height,
    lines: lines.map((line) => ({ ...line, rect: shift(line.rect) })),
    cards: cards.map((card) => ({ ...card, rect: shift(card.rect) })),
  }
}

/** Lays out blocks below each other, with inline content in lines; also flex columns and grids. */
function layOutFlow(box: LayoutBox, width: number): Placed {
  const lines: Line[] = []
  const cards: Card[] = []
  let y = 0
  let line: (Run | LayoutBox)[] = []
  const put = (placed: Placed, x: number) => {
    const moved = move(placed, x, y)
    lines.push(...moved.lines)
    cards.push(...moved.cards)
    y += placed.height
  }
  const endLine = () => {
    put(layOutLines(line, box.look, width), 0)
    line = []
  }
  for (const [i, item] of box.items.entries()) {
    if (lines.length > maxLines) break
    if (item.kind === 'break') {
      if (line.length === 0) y += box.look.lineHeight
      endLine()
    } else if (item.kind === 'run' || (item.inline && box.layout === 'flow')) line.push(item)
    else {
      endLine()
      if (!item.look.inFlow) {
        lines.push(...layOut(item, { width: outerWidest(item) }).lines)
        continue
      }
      const { margin } = item
      y += margin.top
      const outer = widthOf(item, width, box)
      const spare = width - outer - margin.left - margin.right
      const isColumn = box.layout === 'column'
      const along = item.centred ? 0.5 : isColumn ? share(crossOrMain(box, 'horizontal')) : 0
      put(layOut(item, { width: outer }), margin.left + along * Math.max(0, spare))
      y += margin.bottom + (isColumn && i < box.items.length - 1 ? box.gap : 0)
    }
  }
  endLine()
  return { height: y, lines, cards }
}

/** Width of a block's border box: given, as wide as its parent, or as its content in a column. */
function widthOf(item: LayoutBox, available: number, holder: LayoutBox): number {
  const { own, look, edges, margin } = item
  const sides = edges.left + edges.right
  const given = lengthOf(own.get('width'), { ...look, whole: available })
  const limit = lengthOf(own.get('max-width'), { ...look, whole: available })
  const aligned = holder.own.has('align-items') && holder.own.get('align-items') !== 'stretch'
  const shrinks = own.get('width') === 'fit-content' || (holder.layout === 'column' && aligned)
  const fit = Math.min(item.widest + sides, available)
  const free = shrinks ? fit : available - margin.left - margin.right
  const inside = own.get('box-sizing') === 'border-box' ? 0 : sides
  return Math.min(
    given === undefined ? free : given + inside,
    (limit ?? Number.POSITIVE_INFINITY) + inside,
  )
}

/** Lays out flex items side by side. They share missing space, and free space if they may grow. */
function layOutRow(box: LayoutBox, width: number): Placed {
  const items = box.items.flatMap((item): LayoutBox[] => {
    if (item.kind === 'break') return []
    if (item.kind === 'box') return [item]
    return item.text.trim() === '' ? [] : [anonymous(item)]
  })
  const wanted = items.map((item) => {
    const given = lengthOf(item.own.get('width'), { ...item.look, whole: width })
    return given === undefined ? outerWidest(item) : outerWidest({ ...item, widest: given })
  })
  const gaps = box.gap * Math.max(0, items.length - 1)
  const asked = wanted.reduce((a, b) => a + b, 0)
  const spare = width - gaps - asked
  const growers = items.map(
    ({ own }) => Number.parseFloat(own.get('flex-grow') ?? own.get('flex') ?? '0') || 0,
  )
  const growth = growers.reduce((a, b) => a + b, 0)
  const widths = wanted.map((width, i) => {
    if (spare < 0) return (width * (width - gaps)) / asked
    return growth > 0 ? width + (spare * (growers[i] ?? 0)) / growth : width
  })
  const justify = crossOrMain(box, 'horizontal')
  const free = growth > 0 ? 0 : Math.max(0, spare)
  const between = justify === 'space-between' && items.length > 1 ? free / (items.length - 1) : 0
  let x = between > 0 ? 0 : share(justify) * free
  const placed = items.map((item, i) => {
    const outer = widths[i] ?? 0
    const at = x + item.margin.left
    x += outer + box.gap + between
    return {
      at,
      item,
      ...layOut(item, { width: Math.max(1, outer - item.margin.left - item.margin.right) }),
    }
  })
  const height = placed.reduce((most, each) => Math.max(most, each.height), 0)
  const align = share(crossOrMain(box, 'vertical'))
  const moved = placed.map((each) => move(each, each.at, align * (height - each.height)))
  return {
    height,
    lines: moved.flatMap(({ lines }) => lines),
    cards: moved.flatMap(({ cards }) => cards),
  }
}

const noEdges = { top: 0, right: 0, bottom: 0, left: 0 }
const nothing: Declarations = new Map()

/** Wraps bare words of a flex row in a box. */
function anonymous(run: Run): LayoutBox {
  const { look } = run
  return {
    ...{ kind: 'box', own: nothing, look, layout: 'flow', inline: false, gap: 0, items: [run] },
    outerFills: look.fills.length,
    ...{ edges: noEdges, margin: noEdges, centred: false },
    widest: runWidth(run.text, look),
  }
}

/** A word, or an inline box. */
type Piece = {
  readonly width: number
  readonly text: string
  readonly look: Look
  readonly box?: LayoutBox
}

/** Breaks words into lines of a width, aligned as their parent says. */
function layOutLines(content: readonly (Run | LayoutBox)[], holder: Look, width: number): Placed {
  const lines: Line[] = []
  const cards: Card[] = []
  let y = 0
  for (const row of wrapped(content.flatMap(piecesOf), width)) {
    const used = row.reduce((sum, piece) => sum + piece.width, 0)
    let x = share(holder.align) * Math.max(0, width - used)
    const boxes = row.map(({ box, width }) => box && layOut(box, { width }))
    const tall = row.map(({ look }, i) => boxes[i]?.height ?? look.lineHeight)
    const height = Math.max(0, ...tall)
    for (const [i, piece] of row.entries()) {
      const placed = boxes[i]
      if (placed) {
        const moved = move(placed, x, y + (height - placed.height) / 2)
        lines.push(...moved.lines)
        cards.push(...moved.cards)
      } else putWord(lines, piece, [x, y, piece.width, height])
      x += piece.width
    }
    y += height
    if (lines.length > maxLines) break
  }
  return { height: y, lines, cards }
}

/** Share of the font size that most letters fill. */
const letterHeight = 0.6

/** Adds a word to the current line, or begins a new one. */
function putWord(lines: Line[], { text, look }: Piece, [x, y, width, height]: Rect): void {
  const tall = letterHeight * look.fontSize
  const top = y + (height - tall) / 2
  const last = lines.at(-1)
  const goesOn = last?.look === look && last.rect[1] === top && last.rect[0] + last.rect[2] >= x - 1
  if (last && goesOn) {
    const rect = [last.rect[0], top, x + width - last.rect[0], tall] as const
    lines[lines.length - 1] = { ...last, text: last.text + text, rect }
  } else if (text.trim() !== '') lines.push({ text, look, rect: [x, top, width, tall] })
}

function piecesOf(item: Run | LayoutBox): Piece[] {
  if (item.kind === 'box') {
    return [{ width: outerWidest(item), text: '', look: item.look, box: item }]
  }
  const { look } = item
  const words = shownText(item.text, look).match(word) ?? []
  return words.map((text) => ({ width: runWidth(text, look), text, look }))
}

/** Matches a word with the space before it; Han and kana may break anywhere. */
const word =
  / ?[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]| ?[^ \u3000-\u9fff\uac00-\ud7af\uff00-\uffef]+| /g

function wrapped(pieces: readonly Piece[], width: number): Piece[][] {
  const rows: Piece[][] = []
  let row: Piece[] = []
  let used = 0
  for (const piece of pieces) {
    // A browser breaks a little earlier or later than these widths say, so a full line is tolerated.
    if (row.length > 0 && piece.look.wraps && used + piece.width > width * 1.02) {
      rows.push(row)
      row = []
      used = 0
    }
    if (row.length === 0 && piece.text === ' ') continue
    const first = row.length === 0 && piece.text.startsWith(' ')
    const shown = first
      ? { ...piece, text: piece.text.slice(1), width: runWidth(piece.text.slice(1), piece.look) }
      : piece
    row.push(shown)
    used += shown.width
  }
  if (row.length > 0) rows.push(row)
  return rows
}
