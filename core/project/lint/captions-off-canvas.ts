import type { ResolvedProject } from '../resolved.ts'
import { type CaptionBox, captionEm } from './caption-boxes.ts'
import { quoted, type Warning } from './warning.ts'

/** Share of a row's width by which the guessed width may be wrong. */
const tolerance = 0.12

/**
 * Warns once of captions that are larger than the canvas, lie outside it or cross its edges. `at`:
 * field of the looks, as the request has them.
 */
export function captionsOffCanvas(
  project: ResolvedProject,
  { boxes, at }: { boxes: readonly CaptionBox[]; at: { size: string; margin: string } },
): Warning[] {
  const { subtitle, width, height } = project
  if (!subtitle || boxes.length === 0) return []
  const code = 'off_canvas'
  const canvas = `the canvas of ${width}x${height} px`
  const { size } = subtitle.font
  if (size > height) {
    const message = `Captions never fit: each row is ${size} px high, more than ${canvas}.`
    return [{ field: at.size, code, message }]
  }
  const outside = boxes.find(({ box }) => isOutside(box, project))
  if (outside) {
    const { left, top, right, bottom } = outside.box
    const place = `x ${Math.round(left)} to ${Math.round(right)}, y ${Math.round(top)} to ${Math.round(bottom)}`
    const message = `${nameOf(outside)} lies wholly outside ${canvas}: ${place}.`
    return [{ field: at.margin, code, message }]
  }
  const least = captionEm(subtitle) / 10
  const lost = boxes
    .filter(({ isAlone }) => isAlone)
    .map((each) => ({ ...each, ...worstEdge(each, project) }))
    .filter(({ px }) => px > least)
  const worst = lost.reduce<(typeof lost)[number] | undefined>(
    (most, each) => (each.px > (most?.px ?? 0) ? each : most),
    undefined,
  )
  if (!worst) return []
  const message = `${nameOf(worst)} leaves the canvas by about ${Math.round(worst.px)} px on the ${worst.side}.`
  return [{ field: worst.field, code, message }]
}

function nameOf({ text }: CaptionBox): string {
  return text === '' ? 'The caption' : `The caption ${quoted(text)}`
}

type Canvas = Pick<ResolvedProject, 'width' | 'height'>

function isOutside({ left, top, right, bottom }: CaptionBox['box'], canvas: Canvas): boolean {
  const slack = tolerance * (right - left)
  return bottom <= 0 || top >= canvas.height || right + slack <= 0 || left - slack >= canvas.width
}

/** Edge over which the letters of a row reach farthest. */
function worstEdge({ rows }: CaptionBox, { width, height }: Canvas): { px: number; side: string } {
  return rows
    .flatMap(({ left, top, right, bottom }) => {
      const slack = tolerance * (right - left)
      return [
        { side: 'left', px: -left - slack },
        { side: 'right', px: right - width - slack },
        { side: 'top', px: -top },
        { side: 'bottom', px: bottom - height },
      ]
    })
    .reduce((most, each) => (each.px > most.px ? each : most), { side: '', px: 0 })
}
