import { type Actor, isUpright, meet, onCanvas, type Scenery } from './scenery.ts'
import { quoted, type Warning } from './warning.ts'

/** Share of a line's width by which the guessed width may be wrong. */
const tolerance = 0.12

/** Warns of elements off the canvas, and of words that cross its edges. */
export function offCanvas({ canvas, stages }: Scenery): Warning[] {
  const { width, height } = canvas
  return stages
    .flatMap(({ actors }) => actors)
    .filter((actor) => actor.visual.angle % 90 === 0)
    .flatMap((actor): Warning[] => {
      const { field } = actor.visual
      const code = 'off_canvas'
      const canvas = { left: 0, top: 0, right: width, bottom: height }
      if (!actor.words?.loose && !meet(actor.box, canvas)) {
        const message = `The element lies wholly outside the canvas of ${width}x${height} px: ${whereabouts(actor)}.`
        return [{ field, code, message }]
      }
      const lost = isUpright(actor) ? wordsLost(actor, { width, height }) : undefined
      return lost ? [{ field, code, message: lost }] : []
    })
}

function whereabouts({ box }: Actor): string {
  const range = (from: number, to: number) =>
    `${Number.isFinite(from) ? Math.round(from) : '…'} to ${Number.isFinite(to) ? Math.round(to) : '…'}`
  return `x ${range(box.left, box.right)}, y ${range(box.top, box.bottom)}`
}

/** Finds the line that loses most, if it loses more than the tolerance. */
function wordsLost(
  actor: Actor,
  { width, height }: { width: number; height: number },
): string | undefined {
  let worst: { px: number; side: string; text: string } | undefined
  for (const { rect, text, look } of actor.words?.lines ?? []) {
    if (!look.inFlow) continue
    const { left, top, right, bottom } = onCanvas(actor, rect)
    const slack = tolerance * (right - left)
    const sides = [
      { side: 'left', px: -left - slack },
      { side: 'right', px: right - width - slack },
      { side: 'top', px: -top },
      { side: 'bottom', px: bottom - height },
    ]
    for (const { side, px } of sides) {
      if (px > (worst?.px ?? look.fontSize / 10)) worst = { px, side, text }
    }
  }
  if (!worst) return undefined
  return `The text ${quoted(worst.text)} leaves the canvas by about ${Math.round(worst.px)} px on the ${worst.side}.`
}
