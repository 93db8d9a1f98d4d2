import {
  type Actor,
  contains,
  type EdgeBox,
  isUpright,
  meet,
  onCanvas,
  type Scenery,
  seenTogether,
} from './scenery.ts'
import type { Line } from './typeset.ts'
import { maxWarnings, quoted, type Warning } from './warning.ts'

/** Share of each line's width that counts, as widths are guesses. */
const core = 0.9

/** Most pairs, and lines of each text, examined: a hundred texts at once are a pattern, no mistake. */
const maxPairs = 50_000
const maxLines = 40

/** Warns of simultaneous texts whose letters overlap. */
export function textsOverlap({ stages }: Scenery): Warning[] {
  const spoken = stages.map(({ actors }) => actors.flatMap(speakerOf))
  const overlay = spoken.at(-1) ?? []
  const warnings: Warning[] = []
  let pairs = 0
  for (const [i, speakers] of spoken.entries()) {
    const above = i < spoken.length - 1 ? overlay : []
    for (const [n, lower] of speakers.entries()) {
      for (const upper of [...speakers.slice(n + 1), ...above]) {
        if (++pairs > maxPairs || warnings.length >= maxWarnings) return warnings
        const clash = clashOf(lower, upper)
        if (clash) warnings.push(warningOf(clash, { lower, upper }))
      }
    }
  }
  return warnings
}

type Spoken = { readonly line: Line; readonly box: EdgeBox }
type Speaker = { readonly actor: Actor; readonly lines: readonly Spoken[] }

function speakerOf(actor: Actor): Speaker[] {
  if (!isUpright(actor)) return []
  const lines = (actor.words?.lines ?? [])
    .filter(({ look }) => look.inFlow && look.color?.a !== 0)
    .slice(0, maxLines)
    .map((line) => {
      const [x, y, width, height] = line.rect
      const inset = ((1 - core) / 2) * width
      return { line, box: onCanvas(actor, [x + inset, y, width - 2 * inset, height]) }
    })
  return lines.length > 0 ? [{ actor, lines }] : []
}

type Clash = { readonly lower: Line; readonly upper: Line }

function clashOf(lower: Speaker, upper: Speaker): Clash | undefined {
  if (!seenTogether(lower.actor, upper.actor)) return undefined
  for (const { line, box } of lower.lines) {
    const met = upper.lines.find((other) => meet(other.box, box))
    if (met && !isCovered(box, upper.actor)) return { lower: line, upper: met.line }
  }
  return undefined
}

/** True for a line that a card of the upper text hides; it does not overlap. */
function isCovered(line: EdgeBox, upper: Actor): boolean {
  return (upper.words?.cards ?? []).some(({ rect, isRim }) => {
    return !isRim && contains(onCanvas(upper, rect), line)
  })
}

function warningOf(clash: Clash, { lower, upper }: { lower: Speaker; upper: Speaker }): Warning {
  const from = Math.max(lower.actor.begin, upper.actor.begin)
  const words = `${quoted(clash.upper.text)} covers ${quoted(clash.lower.text)}`
  const message = `${words} of ${lower.actor.visual.field}, from ${Math.round(from * 100) / 100} s.`
  return { field: upper.actor.visual.field, code: 'texts_overlap', message }
}
