import { visualTypeOf } from '../../visuals/visual-types.ts'
import type { KnownLengths } from '../lengths.ts'
import type { ResolvedProject } from '../resolved.ts'
import { aroundTurned } from './low-contrast.ts'
import { createOpaqueAreas, hides, type OpaqueArea } from './opaque-areas.ts'
import {
  type Actor,
  contains,
  type EdgeBox,
  onCanvas,
  type Scenery,
  type Span,
  solidSpan,
  spanOf,
} from './scenery.ts'
import { svgCards } from './svg-cards.ts'
import type { Warning } from './warning.ts'

/** Times that differ by less are equal, as in the timeline. */
const epsilonSeconds = 1e-6
/** Share of a guessed width that may be wrong. */
const tolerance = 0.12
/** Most pairs that are examined. */
const maxPairs = 50_000

/** Warns of elements that opaque ones hide for their whole time. */
export function covered(
  project: ResolvedProject,
  { scenery, lengths }: { scenery: Scenery; lengths: KnownLengths },
): Warning[] {
  const { stages, canvas } = scenery
  const overlay = stages.at(-1)?.actors ?? []
  const frame = { left: 0, top: 0, right: canvas.width, bottom: canvas.height }
  const areasOf = createOpaqueAreas()
  // The place of a scene in a film of unknown length is not known.
  const isTimed = lengths.film !== undefined
  let pairs = 0
  return stages.flatMap(({ actors }, s) =>
    actors.flatMap((actor, i): Warning[] => {
      const above = [...actors.slice(i + 1), ...(s < stages.length - 1 && isTimed ? overlay : [])]
      pairs += above.length
      if (pairs > maxPairs || !isMeantToShow(actor)) return []
      const place = within(placeOf(actor), frame)
      if (!place) return []
      const isBare = isPlate(actor)
      const time = timeOf(actor, project, lengths)
      const covers = above.filter(
        (upper) =>
          meets(solidSpan(upper, lengths), time) &&
          !(isBare && isPicture(upper)) &&
          areasOf(upper).some((area) => hides(area, place) && isSafe(actor, area, frame)),
      )
      if (
        !fill(
          time,
          covers.map((upper) => solidSpan(upper, lengths)),
        )
      )
        return []
      const names = [...new Set(covers.map(({ visual }) => visual.field))].slice(0, 3).join(', ')
      const message = `The element is never visible: ${names} lies over it and hides it.`
      return [{ field: actor.visual.field, code: 'never_visible', message }]
    }),
  )
}

/** A clip may be there for its sound, and a clear element is hidden anyway. */
function isMeantToShow({ visual, begin, end }: Actor): boolean {
  const sound = visualTypeOf(visual).recording?.sound(visual)
  const isHeard = sound && sound.volume > 0 && sound.hasAudio !== false
  return visual.opacity > 0 && end > begin && !isHeard
}

function isPicture({ markup }: Actor): boolean {
  return markup === undefined
}

/** True for flat areas below a picture: they show until it has come, or where it fails. */
function isPlate({ markup, words, box }: Actor): boolean {
  if (markup?.kind === 'html') return words !== undefined && words.lines.length === 0
  return markup !== undefined && svgCards(markup.markup, box) !== undefined
}

/** Box of an element and its words, with what they may be wider than guessed. */
function placeOf(actor: Actor): EdgeBox {
  const { visual, words } = actor
  const boxes = [
    actor.box,
    ...(words?.lines ?? []).map(({ rect: [x, y, width, height] }) =>
      onCanvas(actor, [x - (tolerance / 2) * width, y, (1 + tolerance) * width, height]),
    ),
  ]
  const hull = {
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  }
  return visual.angle % 360 === 0 ? hull : aroundTurned(hull)
}

/** Returns undefined outside the frame. */
function within(box: EdgeBox, frame: EdgeBox): EdgeBox | undefined {
  const left = Math.max(box.left, frame.left)
  const top = Math.max(box.top, frame.top)
  const right = Math.min(box.right, frame.right)
  const bottom = Math.min(box.bottom, frame.bottom)
  return left < right && top < bottom ? { left, top, right, bottom } : undefined
}

/** True unless paint may hang out of the element's box, beside a cover smaller than the canvas. */
function isSafe(
  { visual, markup, words }: Actor,
  { box, radius }: OpaqueArea,
  frame: EdgeBox,
): boolean {
  if (radius === 0 && contains(box, frame)) return true
  if ('code' in visual || ('zoomDepth' in visual && visual.zoomDepth !== 1)) return false
  if ('filter' in visual && (visual.filter?.blur ?? 0) > 0) return false
  if (markup?.kind === 'html' && (!words || words.loose)) return false
  const source = markup ? `${markup.markup} ${JSON.stringify(markup.style)}` : ''
  return !/shadow|filter|transform|outline|overflow|animation|stroke/i.test(source)
}

/** Time in which an element would be visible: of a still, its one moment. */
function timeOf(
  actor: Actor,
  { type, snapshotTime }: ResolvedProject,
  lengths: KnownLengths,
): Span {
  if (type === 'video') return spanOf(actor, lengths)
  return { from: snapshotTime, to: snapshotTime + 2 * epsilonSeconds }
}

function meets(one: Span, other: Span): boolean {
  return one.from < other.to && other.from < one.to
}

/** True where the spans leave no gap. */
function fill(time: Span, spans: readonly Span[]): boolean {
  let reached = time.from
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    if (from > reached + epsilonSeconds) return false
    reached = Math.max(reached, to)
  }
  return spans.length > 0 && reached >= time.to - epsilonSeconds
}
