import type { KnownLengths } from '../lengths.ts'
import type { ResolvedProject, ResolvedSubtitle } from '../resolved.ts'
import { type CaptionBox, captionEm } from './caption-boxes.ts'
import { type Color, contrast, hexOf, over, readColor } from './colors.ts'
import { type Backdrop, backdropOf, contrastSentence, leastContrast } from './low-contrast.ts'
import {
  contains,
  type EdgeBox,
  meet,
  type Scenery,
  type Span,
  type Stage,
  solidSpan,
  spanOf,
} from './scenery.ts'
import { quoted, type Warning } from './warning.ts'

/** Most lines whose background is looked up. */
const maxLines = 200
/** Most changes during a line; one with more is not judged. */
const maxSpans = 100
/** Contrast below which words are as good as invisible. */
const invisible = 1.25
/** Narrowest outline that sets letters off, px. */
const leastStrokePx = 0.5

type Looks = { readonly font: string; readonly activeWord: string }

/**
 * Warns of captions whose colour is too near the flat colour behind them for most of their time.
 * A readable outline or box excuses them. `at`: fields of the colours, as the request has them.
 */
export function captionContrast(
  project: ResolvedProject,
  {
    boxes,
    scenery,
    lengths,
    at,
  }: { boxes: readonly CaptionBox[]; scenery: Scenery; lengths: KnownLengths; at: Looks },
): Warning[] {
  const { subtitle } = project
  if (!subtitle || (project.scenes.length > 0 && lengths.film === undefined)) return []
  const layers = layersOf(project, { scenery, lengths })
  const found = new Map<keyof Looks, Unreadable>()
  for (const line of boxes.slice(0, maxLines)) {
    for (const each of unreadableIn(line, subtitle, layers)) {
      const known = found.get(each.part)
      if (!known || each.ratio < known.ratio) found.set(each.part, each)
    }
  }
  return [...found.values()].map(({ part, line, ...reading }) => {
    const words = line.text === '' ? 'The text of the captions' : quoted(line.text)
    const shown = part === 'font' ? words : `The active word of ${words}`
    const message = contrastSentence(shown, reading)
    return { field: at[part], code: 'low_contrast', message }
  })
}

type Reading = {
  readonly ratio: number
  readonly least: number
  readonly color: Color
  readonly backdrop: Color
}
type Unreadable = Reading & { readonly part: keyof Looks; readonly line: CaptionBox }

/** Colours of the film below its captions. */
type Layers = {
  readonly stages: readonly Layer[]
  readonly overlay: readonly Timed[]
  /** Colour below the overlay of a film without scenes. */
  readonly ground: Color | undefined
  /** Moments at which anything comes, goes or moves, ascending. */
  readonly changes: readonly number[]
  readonly end: number
}
type Layer = Pick<Stage, 'begin' | 'end'> & {
  readonly under: readonly Timed[]
  readonly ground: Color | undefined
}
/** Visible from `from` to `to`; `solid`: without animations. */
type Timed = Backdrop & Span & { readonly solid: Span }

function layersOf(
  project: ResolvedProject,
  { scenery, lengths }: { scenery: Scenery; lengths: KnownLengths },
): Layers {
  const timed = ({ actors }: Stage): Timed[] =>
    actors
      .toReversed()
      .filter(({ visual }) => visual.opacity > 0)
      .flatMap((actor) =>
        backdropOf(actor).map((backdrop) => {
          const { from, to } = spanOf(actor, lengths)
          return { ...backdrop, from, to, solid: solidSpan(actor, lengths) }
        }),
      )
  const scenes = scenery.stages.slice(0, -1)
  const overlay = scenery.stages.at(-1)
  const layers = scenes.map((stage) => ({
    ...{ begin: stage.begin, end: stage.end, under: timed(stage) },
    ground: readColor(stage.backdrop ?? ''),
  }))
  const above = overlay ? timed(overlay) : []
  const shown = [...above, ...layers.flatMap(({ under }) => under)]
  const changes = [
    ...shown.flatMap(({ from, to, solid }) => [from, to, solid.from, solid.to]),
    ...layers.flatMap(({ begin, end }) => [begin, end]),
  ].filter(Number.isFinite)
  return {
    stages: layers,
    overlay: above,
    changes: [...new Set(changes)].sort((a, b) => a - b),
    ground: scenes.length === 0 ? readColor(project.backgroundColor) : undefined,
    end: lengths.film ?? Number.POSITIVE_INFINITY,
  }
}

function unreadableIn(line: CaptionBox, subtitle: ResolvedSubtitle, layers: Layers): Unreadable[] {
  const seconds = new Map<keyof Looks, number>()
  const worst = new Map<keyof Looks, Unreadable>()
  const spans = spansOf(line, layers)
  if (spans.length > maxSpans) return []
  for (const { from, to } of spans) {
    const ground = groundAt((from + to) / 2, around(line), layers)
    for (const reading of readingsOf(subtitle, ground)) {
      const { part } = reading
      seconds.set(part, (seconds.get(part) ?? 0) + to - from)
      const known = worst.get(part)
      if (!known || reading.ratio < known.ratio) worst.set(part, { ...reading, line })
    }
  }
  const whole = spans.reduce((sum, { from, to }) => sum + to - from, 0)
  return [...worst.values()].filter(({ part }) => (seconds.get(part) ?? 0) > whole / 2)
}

/** Rows of unknown words: any may lie there. */
const guessedRows = 2

/** Area that a line surely fills, and a little more: widths are guesses. */
function around({ box, text }: CaptionBox): EdgeBox {
  const { left, top, right, bottom } = box
  const more = text === '' ? 0 : 0.06 * (right - left)
  const high = text === '' ? (guessedRows - 1) * (bottom - top) : 0
  return { left: left - more, right: right + more, top: top - high, bottom: bottom + high }
}

/** Parts of a line's time in which nothing comes or goes. */
function spansOf({ begin, end }: CaptionBox, layers: Layers): Span[] {
  const last = Math.min(end, layers.end)
  if (last <= begin) return []
  const changes = layers.changes.filter((moment) => moment > begin && moment < last)
  // A film of unknown length lasts beyond its last change.
  const until = Number.isFinite(last) ? last : (changes.at(-1) ?? begin) + 1
  const edges = [begin, ...changes, until]
  return edges.slice(1).map((to, i) => ({ from: edges[i] ?? begin, to }))
}

/** Flat colour behind a place at a moment; undefined = not known. */
function groundAt(second: number, place: EdgeBox, layers: Layers): Color | undefined {
  const upper = colorIn(layers.overlay, second, place)
  if (upper !== 'clear') return upper
  if (layers.stages.length === 0) return layers.ground
  const shown = layers.stages.filter(({ begin, end }) => begin <= second && second < end)
  const [first, ...others] = shown.map(({ under, ground }) => {
    const color = colorIn(under, second, place)
    return color === 'clear' ? ground : color
  })
  const isSame = others.every((other) => other && first && hexOf(other) === hexOf(first))
  return isSame ? first : undefined
}

/** Colour of the topmost element at a place; undefined = not known, `clear` = none is there. */
function colorIn(
  under: readonly Timed[],
  second: number,
  place: EdgeBox,
): Color | undefined | 'clear' {
  for (const { actor, box, cards, solid, from, to } of under) {
    if (second < from || second >= to || !meet(box, place)) continue
    const isStill = second >= solid.from && second < solid.to
    if (!cards || !isStill) return undefined
    const card = cards.findLast((each) => meet(each.box, place))
    if (!card) continue
    const isBehind = contains(card.box, place)
    return isBehind && actor.visual.opacity === 1 ? card.color : undefined
  }
  return 'clear'
}

/** Unreadable parts of a caption over a colour. */
function readingsOf(
  subtitle: ResolvedSubtitle,
  ground: Color | undefined,
): (Reading & { part: keyof Looks })[] {
  const { font, stroke, background, activeWord, animation } = subtitle
  const least = leastContrast({ fontSize: captionEm(subtitle), weight: font.bold ? 700 : 400 })
  const backdrop = painted(background, ground)
  if (!backdrop) return []
  const outline = stroke && stroke.width >= leastStrokePx ? readColor(stroke.color) : undefined
  const read = (text: string, behind: Color): Reading[] => {
    const color = readColor(text)
    if (!color) return []
    const ratio = Math.max(contrast(color, behind), outline ? contrast(color, outline) : 1)
    return ratio < least ? [{ ratio, least, color, backdrop: behind }] : []
  }
  const fill = activeWord?.background
  const box = painted(fill === undefined ? fill : { color: fill, opacity: 1 }, backdrop)
  const active = activeWord && box ? read(activeWord.color, box) : []
  const isAlwaysActive = animation === 'one-word' && activeWord !== undefined
  const plain = isAlwaysActive ? [] : read(font.color, backdrop)
  const isPlainLow = plain.some(
    ({ ratio }) => !activeWord || active.length > 0 || ratio < invisible,
  )
  const isActiveLow = active.some(({ ratio }) => isAlwaysActive || ratio < invisible)
  return [
    ...(isPlainLow ? plain.map((each) => ({ ...each, part: 'font' as const })) : []),
    ...(isActiveLow ? active.map((each) => ({ ...each, part: 'activeWord' as const })) : []),
  ]
}

function painted(
  fill: { readonly color: string; readonly opacity: number } | undefined,
  below: Color | undefined,
): Color | undefined {
  if (!fill || fill.opacity === 0) return below
  const color = readColor(fill.color)
  if (!color || fill.opacity === 1) return color
  return below && over({ ...color, a: fill.opacity }, below)
}
