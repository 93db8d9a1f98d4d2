import { linesOf } from '../../captions/documents.ts'
import type { CaptionLine } from '../../captions/lines.ts'
import { balancedRows } from '../../looks/caption-rows.ts'
import { faceMetrics } from '../../looks/face-metrics.ts'
import { paintedFamily } from '../../looks/families.ts'
import { cornerOf } from '../../timeline/captions.ts'
import { unprobed } from '../../timeline/length.ts'
import { anchorPoint } from '../../timeline/placing.ts'
import type { ResolvedProject, ResolvedSubtitle } from '../resolved.ts'
import { emWidth } from './glyphs.ts'
import type { EdgeBox } from './scenery.ts'

/** A line of captions where it will be painted, by guessed widths (see typeset.ts). */
export type CaptionBox = {
  readonly field: string
  readonly begin: number
  readonly end: number
  /** Words of the line; empty for those of a file, which has not been read. */
  readonly text: string
  /** Edges with the background's padding, canvas px. */
  readonly box: EdgeBox
  /** Letters of each row, from the top of capitals to the baseline. */
  readonly rows: readonly EdgeBox[]
  /** False beside another line, which moves it. */
  readonly isAlone: boolean
}

/** Most lines that are examined; further ones of a film look alike. */
const maxLines = 500
/** Share of a font's em that capitals fill. */
const capitalHeight = 0.7

/** Places the lines of a subtitle; a file is one line of unknown words for the whole film. */
export function captionBoxes(project: ResolvedProject): CaptionBox[] {
  const { subtitle } = project
  if (!subtitle) return []
  const all = linesOf(subtitle, project, unprobed.media)
  const lines = all.slice(0, maxLines)
  const whole = { begin: 0, end: Number.POSITIVE_INFINITY, words: [] }
  const placed: readonly CaptionLine[] =
    subtitle.src === undefined ? lines : [{ field: 'subtitle.src', ...whole }]
  return placed.map((line, i) => ({
    ...{ field: line.field, begin: line.begin, end: line.end },
    text: line.words.map(({ text }) => text).join(' '),
    ...boxesOf(line, subtitle, project),
    isAlone: !meets(line, all[i - 1]) && !meets(line, all[i + 1]),
  }))
}

/** Font size in CSS px; a caption's `size` is the height of a row (caption-rows.ts). */
export function captionEm({ font }: ResolvedSubtitle): number {
  const [unitsPerEm, ascent, descent] = metricsOf(font)
  return (font.size * unitsPerEm) / (ascent + descent)
}

function metricsOf({ family }: ResolvedSubtitle['font']) {
  return faceMetrics[paintedFamily(family)]
}

function meets(line: CaptionLine, other: CaptionLine | undefined): boolean {
  return other !== undefined && line.begin < other.end && other.begin < line.end
}

function boxesOf(
  { words }: CaptionLine,
  subtitle: ResolvedSubtitle,
  canvas: Pick<ResolvedProject, 'width' | 'height'>,
): Pick<CaptionBox, 'box' | 'rows'> {
  const { font, background, margin, position } = subtitle
  const em = captionEm(subtitle)
  const family = paintedFamily(font.family)
  const widthOf = (text: string) => emWidth(text, family, font.bold ? 700 : 400) * em
  const padding = background?.padding ?? 0
  const room = Math.max(1, canvas.width - 2 * Math.max(0, margin.x) - 2 * padding)
  const measured = words.map(({ text, breaks, joined }, i) => {
    return { width: widthOf(text), gap: i === 0 || joined ? 0 : widthOf(' '), breaks }
  })
  const begins = balancedRows(measured, room)
  const widths = begins.map((from, row) => {
    const inRow = measured.slice(from, begins[row + 1])
    return inRow.reduce((sum, { width, gap }, k) => sum + width + (k > 0 ? gap : 0), 0)
  })
  const inside = words.length === 0 ? room : Math.max(0, ...widths)
  const size = {
    width: inside + 2 * padding,
    height: Math.max(1, widths.length) * font.size + 2 * padding,
  }
  const [left, top] = cornerOf(size, subtitle, canvas)
  const [unitsAscent, unitsDescent] = [metricsOf(font)[1], metricsOf(font)[2]]
  const ascent = (font.size * unitsAscent) / (unitsAscent + unitsDescent)
  const rows = widths.map((width, row) => {
    const x = left + padding + anchorPoint[position][0] * (inside - width)
    const baseline = top + padding + row * font.size + ascent
    return { left: x, right: x + width, top: baseline - capitalHeight * em, bottom: baseline }
  })
  return { box: { left, top, right: left + size.width, bottom: top + size.height }, rows }
}
