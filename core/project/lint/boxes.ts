import { emWidth } from './glyphs.ts'
import { type Look, lookOf } from './look.ts'
import type { Branch } from './markup-tree.ts'
import { lengthOf } from './styles.ts'

/** Builds a tree of boxes from a tree of markup: inline runs and blocks. */

/** Text of one look. */
export type Run = { readonly kind: 'run'; readonly text: string; readonly look: Look }
type Break = { readonly kind: 'break' }

export type LayoutBox = {
  readonly kind: 'box'
  readonly own: Branch['own']
  readonly look: Look
  readonly layout: 'flow' | 'row' | 'column'
  /** Inline, like a word. */
  readonly inline: boolean
  readonly edges: Edges
  readonly margin: Edges
  readonly centred: boolean
  readonly gap: number
  /** Number of the look's fills that belong to the box around it. */
  readonly outerFills: number
  readonly items: readonly (LayoutBox | Run | Break)[]
  /** Content width without wrapping, px. */
  readonly widest: number
}

/** px */
type Edges = {
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly left: number
}

const inlineTags = new Set(['b', 'strong', 'i', 'em', 'u', 's', 'span', 'text', 'tspan'])
/** Pictures in markup: they have no text, and may lie anywhere. */
export const pictures = new Set(['svg', 'img', 'canvas'])

export function boxOf(branch: Branch, parent: Look): LayoutBox {
  const look = lookOf(branch.tag, branch.own, parent)
  const display = branch.own.get('display') ?? ''
  const isFlex = display.includes('flex') || display.includes('grid')
  const column = branch.own.get('flex-direction')?.startsWith('column') || display.includes('grid')
  const layout: LayoutBox['layout'] = isFlex ? (column ? 'column' : 'row') : 'flow'
  const items = itemsOf(branch, look, layout !== 'flow')
  const gap =
    px(branch, look, 'gap') || px(branch, look, `${layout === 'row' ? 'column' : 'row'}-gap`)
  const auto = ['margin-left', 'margin-right'].every((side) => branch.own.get(side) === 'auto')
  const box = {
    ...{ kind: 'box' as const, own: branch.own, look, layout, items, gap, centred: auto },
    inline: display.startsWith('inline-'),
    outerFills: parent.fills.length,
    edges: edgesOf(branch, look),
    margin: marginOf(branch, look),
  } as const
  return { ...box, widest: lengthOf(branch.own.get('width'), look) ?? widestOf(box) }
}

function itemsOf(branch: Branch, look: Look, flex: boolean): (LayoutBox | Run | Break)[] {
  return branch.children.flatMap((child): (LayoutBox | Run | Break)[] => {
    if (typeof child === 'string') return [{ kind: 'run', text: child, look }]
    if (child.tag === 'br') return [{ kind: 'break' }]
    if (pictures.has(child.tag) || isHidden(child)) return []
    const display = child.own.get('display')
    const flows = inlineTags.has(child.tag) && (display ?? 'inline') === 'inline'
    if (!flows || flex) return [boxOf(child, look)]
    return itemsOf(child, lookOf(child.tag, child.own, look), false)
  })
}

export function isHidden({ own }: Branch): boolean {
  return (
    own.get('display') === 'none' ||
    own.get('visibility') === 'hidden' ||
    Number(own.get('opacity') ?? 1) === 0
  )
}

function px({ own }: Branch, look: Look, name: string): number {
  return lengthOf(own.get(name)?.split(/\s+/)[0], look) ?? 0
}

function edgesOf(branch: Branch, look: Look): Edges {
  const border = px(branch, look, 'border-width')
  const side = (name: string) => px(branch, look, `padding-${name}`) + border
  return { top: side('top'), right: side('right'), bottom: side('bottom'), left: side('left') }
}

function marginOf(branch: Branch, look: Look): Edges {
  const side = (name: string) => px(branch, look, `margin-${name}`)
  return { top: side('top'), right: side('right'), bottom: side('bottom'), left: side('left') }
}

/** Returns a box's unwrapped width with its edges and margins. */
export function outerWidest({ widest, edges, margin, own }: LayoutBox): number {
  const inside = own.get('box-sizing') === 'border-box' && own.has('width')
  const sides = inside ? 0 : edges.left + edges.right
  return widest + sides + margin.left + margin.right
}

function widestOf({ items, layout, gap }: Pick<LayoutBox, 'items' | 'layout' | 'gap'>): number {
  const inRow = layout === 'row'
  let line = 0
  let widest = 0
  for (const item of items) {
    if (item.kind === 'run') line += runWidth(item.text, item.look)
    else if (item.kind === 'box' && !item.look.inFlow) continue
    else if (item.kind === 'box' && (inRow || item.inline)) line += outerWidest(item)
    else {
      widest = Math.max(widest, line, item.kind === 'box' ? outerWidest(item) : 0)
      line = 0
    }
  }
  const gaps = inRow ? gap * Math.max(0, items.filter(({ kind }) => kind === 'box').length - 1) : 0
  return Math.max(widest, line + gaps)
}

/** Returns the width of words on one line, px. */
export function runWidth(text: string, look: Look): number {
  const words = shownText(text, look)
  return (
    emWidth(words, look.family, look.weight) * look.fontSize + words.length * look.letterSpacing
  )
}

/** Collapses white space as a browser does. */
export function shownText(text: string, look: Look): string {
  const folded = text.replace(/[\t\n\f\r ]+/g, ' ')
  return look.upper ? folded.toUpperCase() : folded
}
