import type { Facts } from '../../timeline/facts.ts'
import { filmSeconds, overlapSeconds, sceneSeconds } from '../../timeline/length.ts'
import { anchorPoint } from '../../timeline/placing.ts'
import type { Rect } from '../../timeline/rect.ts'
import type { ResolvedVisual } from '../../visuals/resolved.ts'
import type { Markup } from '../../visuals/visual-type.ts'
import { visualTypeOf } from '../../visuals/visual-types.ts'
import type { KnownLengths } from '../lengths.ts'
import type { ResolvedProject } from '../resolved.ts'
import type { ResolveWork } from '../shared-work.ts'
import type { Typeset } from './typeset.ts'

/**
 * Positions and times of all elements, as far as known before any media are probed and any text is
 * painted. Input of the lints.
 */
export type Scenery = {
  readonly canvas: { readonly width: number; readonly height: number }
  /** Scenes in order, then the project's own elements, which lie over them. */
  readonly stages: readonly Stage[]
}

export type Stage = {
  /** Film seconds; `end` excluded. */
  readonly begin: number
  readonly end: number
  /** Flat colour below its elements; undefined = scenes, or nothing at all. */
  readonly backdrop: string | undefined
  /** Actors in painting order, bottom first. */
  readonly actors: readonly Actor[]
}

export type Actor = {
  readonly visual: ResolvedVisual
  /** Content of a painted element. */
  readonly markup: Markup | undefined
  /** Film seconds; `end` excluded. */
  readonly begin: number
  readonly end: number
  /** Edges of its box in canvas px, infinite where a size is not known yet. */
  readonly box: EdgeBox
  /** Words of HTML whose size and position can be guessed. */
  readonly words: Typeset | undefined
}

export type EdgeBox = {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Most markup that is typeset: a submission must not be blocked for longer. */
const maxMarkup = 200_000

const unprobed: Facts = { media: new Map(), bakes: new Map() }

export function sceneryOf(project: ResolvedProject, work: ResolveWork): Scenery {
  const lengths = project.scenes.map((scene) => sceneSeconds(scene, unprobed))
  const overlaps = overlapSeconds(project.scenes, lengths)
  const typesetter = makeTypesetter(project, work)
  const stages: Stage[] = []
  let begin = 0
  for (const [i, scene] of project.scenes.entries()) {
    const length = lengths[i] ?? 0
    const actors = scene.visuals.map((visual) =>
      actorOf(visual, { begin, end: begin + length, project, typesetter }),
    )
    const backdrop = scene.backgroundColor
    stages.push({ begin, end: begin + length, backdrop, actors: ordered(actors) })
    begin += length - (overlaps[i] ?? 0)
  }
  const end = filmSeconds(project, begin + (overlaps.at(-1) ?? 0), unprobed)
  const own = project.visuals.map((visual) =>
    actorOf(visual, { begin: 0, end, project, typesetter }),
  )
  const bare = project.scenes.length === 0 && !project.transparent
  const backdrop = bare ? project.backgroundColor : undefined
  stages.push({ begin: 0, end, backdrop, actors: ordered(own) })
  return { canvas: project, stages }
}

function ordered(actors: readonly Actor[]): Actor[] {
  return actors.toSorted((a, b) => a.visual.track - b.visual.track)
}

type Typesetter = (visual: ResolvedVisual, html: Markup) => Typeset | undefined

/** Caches equal texts, such as those of a scene's clones. */
function makeTypesetter(project: ResolvedProject, { typeset }: ResolveWork): Typesetter {
  const known = new Map<string, Typeset>()
  let characters = 0
  return ({ resize, width, height }, { markup: html, style }) => {
    if (resize !== undefined) return undefined
    const key = JSON.stringify([html, style, width, height])
    const found = known.get(key)
    if (found) return found
    characters += html.length
    if (characters > maxMarkup) return undefined
    const set = typeset({ html, style, width, height }, project)
    known.set(key, set)
    return set
  }
}

/** Box of an element with custom code: its position and words are unknown. */
export const anywhere: EdgeBox = {
  left: Number.NEGATIVE_INFINITY,
  top: Number.NEGATIVE_INFINITY,
  right: Number.POSITIVE_INFINITY,
  bottom: Number.POSITIVE_INFINITY,
}

function actorOf(
  visual: ResolvedVisual,
  at: { begin: number; end: number; project: ResolvedProject; typesetter: Typesetter },
): Actor {
  const { begin, end, project } = at
  const isMoved = 'code' in visual
  const markup = visualTypeOf(visual).painted?.markup(visual)
  const words = markup?.kind === 'html' && !isMoved ? at.typesetter(visual, markup) : undefined
  const size = words ?? knownSize(visual, markup, project)
  return {
    visual,
    markup,
    begin: begin + visual.enterBegin,
    end: Math.min(end, begin + (visual.exitEnd ?? end - begin)),
    box: isMoved ? anywhere : boxOf(visual, size, project),
    words,
  }
}

type GuessedSize = { readonly width?: number; readonly height?: number }

function knownSize(
  visual: ResolvedVisual,
  markup: Markup | undefined,
  canvas: Required<GuessedSize>,
): GuessedSize {
  const { width, height } = visual
  if (width !== undefined || height !== undefined) {
    return { ...(width !== undefined && { width }), ...(height !== undefined && { height }) }
  }
  if (visual.resize && markup?.kind !== 'html') return canvas
  return markup?.kind === 'svg' ? svgSize(markup.markup) : {}
}

/** Reads an SVG's own `width` and `height` in px, else its viewBox. */
function svgSize(svg: string): GuessedSize {
  const [tag = ''] = /^<svg[^>]{0,2000}>/i.exec(svg) ?? []
  const edge = (name: string) =>
    Number(new RegExp(`\\s${name}=["']([\\d.]+)(?:px)?["']`, 'i').exec(tag)?.[1])
  const [width, height] = [edge('width'), edge('height')]
  if (width > 0 && height > 0) return { width, height }
  const viewBox = /\sviewBox=["'][-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)["']/i.exec(tag)
  return viewBox ? { width: Number(viewBox[1]), height: Number(viewBox[2]) } : {}
}

function boxOf(visual: ResolvedVisual, size: GuessedSize, canvas: Required<GuessedSize>): EdgeBox {
  const [ax, ay] = anchorPoint[visual.anchor]
  const point = visual.position === 'custom' ? undefined : anchorPoint[visual.position]
  const px = point ? point[0] * canvas.width : visual.x
  const py = point ? point[1] * canvas.height : visual.y
  const [left, right] = edges(px, ax, size.width)
  const [top, bottom] = edges(py, ay, size.height)
  return { left, top, right, bottom }
}

/** An edge at the anchor is known even where the size is not. */
function edges(at: number, share: number, size: number | undefined): [number, number] {
  if (size !== undefined) return [at - share * size, at + (1 - share) * size]
  return [share === 0 ? at : Number.NEGATIVE_INFINITY, share === 1 ? at : Number.POSITIVE_INFINITY]
}

/** Maps a rectangle of an actor's own px to the canvas. */
export function onCanvas(actor: Actor, [x, y, width, height]: Rect): EdgeBox {
  const left = actor.box.left + x
  const top = actor.box.top + y
  return { left, top, right: left + width, bottom: top + height }
}

export function meet(one: EdgeBox, other: EdgeBox): boolean {
  return (
    one.left < other.right &&
    other.left < one.right &&
    one.top < other.bottom &&
    other.top < one.bottom
  )
}

export function contains(outer: EdgeBox, inner: EdgeBox): boolean {
  return (
    outer.left <= inner.left &&
    outer.right >= inner.right &&
    outer.top <= inner.top &&
    outer.bottom >= inner.bottom
  )
}

/** Film seconds; `to` excluded. */
export type Span = { readonly from: number; readonly to: number }

/** Time of an actor; without an end where it lasts as long as a film of unknown length. */
export function spanOf({ visual, begin, end }: Actor, { film }: Pick<KnownLengths, 'film'>): Span {
  if (film !== undefined) return { from: begin, to: end }
  const { enterBegin, exitEnd = Number.POSITIVE_INFINITY } = visual
  return { from: begin, to: begin - enterBegin + exitEnd }
}

/** Time of an actor between its animations. */
export function solidSpan(actor: Actor, lengths: Pick<KnownLengths, 'film'>): Span {
  const { visual, begin } = actor
  const { from, to } = spanOf(actor, lengths)
  const start = begin - visual.enterBegin
  const { enterAnimation, exitAnimation, enterEnd, exitBegin = Number.POSITIVE_INFINITY } = visual
  return {
    from: enterAnimation === null ? from : Math.max(from, start + enterEnd),
    to: exitAnimation === null ? to : Math.min(to, start + exitBegin),
  }
}

/** True where both are visible at some time. */
export function seenTogether(one: Actor, other: Actor): boolean {
  return Math.max(one.begin, other.begin) < Math.min(one.end, other.end)
}

/** True where its words are upright and visible. */
export function isUpright({ visual }: Actor): boolean {
  return visual.angle % 360 === 0 && visual.opacity > 0
}
