import type { ResolvedVisual } from '../../visuals/resolved.ts'
import { type Color, contrast, hexOf, over, readColor } from './colors.ts'
import type { Look } from './look.ts'
import {
  type Actor,
  anywhere,
  type EdgeBox,
  isUpright,
  meet,
  onCanvas,
  type Scenery,
  type Stage,
  seenTogether,
} from './scenery.ts'
import { svgCards } from './svg-cards.ts'
import type { Line } from './typeset.ts'
import { quoted, type Warning } from './warning.ts'

/**
 * Least contrast, https://www.w3.org/TR/WCAG22/#contrast-minimum: large text is of 18 pt, or of 14
 * pt when bold. A point is 4/3 px.
 */
export function leastContrast({ fontSize, weight }: Pick<Look, 'fontSize' | 'weight'>): number {
  const isLarge = fontSize >= 24 || (weight >= 700 && fontSize >= 18.66)
  return isLarge ? 3 : 4.5
}

/**
 * Warns of texts whose colour is too near the flat colour below them; one warning for all clones of
 * a scene, the worst.
 */
export function lowContrast({ stages }: Scenery): Warning[] {
  const worst = new Map<string, Reading>()
  for (const stage of stages) {
    for (const actor of stage.actors.filter(isUpright)) {
      const { field } = actor.visual
      const reading = worstLine(actor, stage)
      const known = worst.get(field)
      if (reading && (!known || reading.ratio < known.ratio)) worst.set(field, reading)
    }
  }
  return [...worst].map(([field, { line, ratio, color, backdrop }]) => {
    const reading = { ratio, color, backdrop, least: leastContrast(line.look) }
    const message = contrastSentence(quoted(line.text), reading)
    return { field, code: 'low_contrast' as const, message }
  })
}

export function contrastSentence(
  text: string,
  {
    ratio,
    color,
    backdrop,
    least,
  }: { ratio: number; color: Color; backdrop: Color; least: number },
): string {
  // Rounded down: a little less than 4.5 must not show as 4.5.
  const shown = Math.floor(ratio * 10) / 10
  const colors = `${hexOf(color)} on ${hexOf(backdrop)}`
  return `${text} has a contrast of ${shown}:1 (${colors}); below ${least}:1 it is hard to read.`
}

type Reading = {
  readonly line: Line
  readonly ratio: number
  readonly color: Color
  readonly backdrop: Color
}

/** Most lines examined in each text, and elements below it. */
const maxLines = 40
const maxUnder = 40

function worstLine(actor: Actor, { actors, backdrop }: Stage): Reading | undefined {
  const lines = actor.words?.lines.slice(0, maxLines) ?? []
  if (lines.length === 0) return undefined
  const under = actors
    .slice(0, actors.indexOf(actor))
    .reverse()
    .filter((other) => other.visual.opacity > 0 && seenTogether(actor, other))
    .flatMap(backdropOf)
    .filter(({ box }) => meet(actor.box, box))
    .slice(0, maxUnder)
  let worst: Reading | undefined
  for (const line of lines) {
    const reading = read(line, actor, { under, backdrop })
    if (!reading || reading.ratio >= leastContrast(line.look)) continue
    if (reading.ratio < (worst?.ratio ?? Number.POSITIVE_INFINITY)) worst = reading
  }
  return worst
}

/** Elements below an actor, topmost first, and the colour under all of them. */
type Below = { readonly under: readonly Backdrop[]; readonly backdrop: string | undefined }

/** An actor as ground for others; `cards` is absent when its look is unknown. */
export type Backdrop = {
  readonly actor: Actor
  readonly box: EdgeBox
  readonly cards:
    | readonly { readonly box: EdgeBox; readonly color: Color | undefined }[]
    | undefined
}

/** Words without a fill are no ground. */
export function backdropOf(actor: Actor): Backdrop[] {
  const { words, visual, markup, box } = actor
  const isTurned = visual.angle % 360 !== 0
  if (isTurned) return [{ actor, box: aroundTurned(box), cards: undefined }]
  if (isRecoloured(visual)) return [{ actor, box, cards: undefined }]
  if (words?.hasBackdrop || words?.hasPictures)
    return [{ actor, box: words.loose ? anywhere : box, cards: undefined }]
  const fills = words
    ? words.cards
    : markup?.kind === 'svg'
      ? svgCards(markup.markup, box)
      : undefined
  if (!fills) return [{ actor, box, cards: undefined }]
  const cards = fills.map(({ rect, color }) => ({ box: onCanvas(actor, rect), color }))
  if (cards.length === 0) return []
  return [{ actor, box: cards.reduce((whole, card) => around(whole, card.box), box), cards }]
}

function around(one: EdgeBox, other: EdgeBox): EdgeBox {
  return {
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  }
}

/** True where the colours of its markup are not those painted. */
function isRecoloured(visual: ResolvedVisual): boolean {
  const isFiltered = 'filter' in visual && visual.filter !== undefined
  return isFiltered || ('chromaKey' in visual && visual.chromaKey !== undefined)
}

/** Returns the box that contains all rotations of a box about its middle. */
export function aroundTurned({ left, top, right, bottom }: EdgeBox): EdgeBox {
  const more = Math.hypot(right - left, bottom - top) / 2
  if (!Number.isFinite(more)) return anywhere
  const [x, y] = [(left + right) / 2, (top + bottom) / 2]
  return { left: x - more, top: y - more, right: x + more, bottom: y + more }
}

/** Returns undefined where the colours are not known, or the text is transparent on purpose. */
function read(line: Line, actor: Actor, below: Below): Reading | undefined {
  const { color: written, fills, lifted, inFlow } = line.look
  if (!written || lifted || fills.includes(undefined) || actor.words?.hasBackdrop) return undefined
  const ink = { ...written, a: written.a * line.look.opacity }
  if (ink.a === 0) return undefined
  const known = fills.filter((fill) => fill !== undefined)
  const { opacity } = actor.visual
  const hides = opacity === 1 && known.some(({ a }) => a === 1)
  const base = hides ? black : inFlow ? backdropBelow(line, actor, below) : undefined
  if (!base) return undefined
  const faded = (color: Color) => over({ ...color, a: opacity }, base)
  const backdrop = known.reduce((lower, fill) => over(fill, lower), base)
  const color = faded(over(ink, backdrop))
  return { line, ratio: contrast(color, faded(backdrop)), color, backdrop: faded(backdrop) }
}

/** Stands for the ground that an opaque fill hides. */
const black: Color = { r: 0, g: 0, b: 0, a: 1 }

/** Finds the flat colour behind a line: the topmost card that contains the line, else the ground. */
function backdropBelow(line: Line, actor: Actor, { under, backdrop }: Below): Color | undefined {
  const place = onCanvas(actor, line.rect)
  for (const { actor: other, box: around, cards } of under) {
    if (!meet(around, place)) continue
    if (!cards) return undefined
    const card = cards.findLast(({ box }) => meet(box, place))
    if (!card) continue
    const { box, color } = card
    const covers = box.left <= place.left && box.right >= place.right
    const behind = box.top <= place.top && box.bottom >= place.bottom
    const always = other.begin <= actor.begin && other.end >= actor.end
    return covers && behind && always && other.visual.opacity === 1 ? color : undefined
  }
  if (under.length === maxUnder) return undefined
  return backdrop === undefined ? undefined : readColor(backdrop)
}
