import { isRightToLeft, type LineDocuments, lineDocuments, linesOf } from '../captions/documents.ts'
import { type CaptionLine, partsOf } from '../captions/lines.ts'
import { FarmError } from '../errors.ts'
import type { ResolvedProject, ResolvedSubtitle } from '../project/resolved.ts'
import type { BakeDocument, BakeFacts } from '../queue/tasks.ts'
import { bakeKeyText } from '../visuals/painted/bake-document.ts'
import type { StillPixels } from './draw.ts'
import type { Facts } from './facts.ts'
import { anchorPoint } from './placing.ts'
import { hullOf, type Rect } from './rect.ts'
import type { CaptionPicture, Cell, TimedCaption, TimedPart } from './types.ts'

/** Returns every picture of a timeline's captions. */
export function captionPixels({
  captions = [],
}: {
  readonly captions?: readonly TimedCaption[]
}): StillPixels[] {
  return captions.flatMap(({ plate, plain, active }) =>
    [plate, plain, active].flatMap((picture) => (picture ? [picture.pixels] : [])),
  )
}

/** Places the lines of a subtitle. Throws FarmError when a line was not baked. */
export function placeCaptions(
  subtitle: ResolvedSubtitle,
  { project, facts }: { project: ResolvedProject; facts: Facts },
): TimedCaption[] {
  const lines = linesOf(subtitle, project, facts.media).map((line) => {
    return { ...line, bakes: bakesOf(lineDocuments(line, subtitle, project), facts) }
  })
  const overhang = Math.max(0, (subtitle.stroke?.width ?? 0) - (subtitle.background?.padding ?? 0))
  const corners = stacked(
    lines.map((line) => {
      const [left, top] = cornerOf(line.bakes.plain, subtitle, project)
      return { ...line, left, top, height: Math.ceil(line.bakes.plain.height), overhang }
    }),
    anchorPoint[subtitle.position][1] === 1 ? 'up' : 'down',
  )
  return lines.map((line, i) => {
    const { bakes } = line
    const { left, top } = corners[i] as Corner
    const place = ({ digest, inkX, inkY, inkWidth, inkHeight }: BakeFacts): CaptionPicture => ({
      pixels: { kind: 'bake', digest },
      dest: [left + inkX, top + inkY, inkWidth, inkHeight],
    })
    const pictures = {
      plain: place(bakes.plain),
      ...(bakes.active && { active: place(bakes.active) }),
    }
    return {
      begin: line.begin,
      end: line.end,
      animation: subtitle.animation,
      direction: subtitle.direction,
      ...(bakes.plate && { plate: place(bakes.plate) }),
      ...pictures,
      slidePx: Math.round(subtitle.font.size * slideHeights),
      parts: timedParts(line, subtitle.animation, {
        places: (bakes.plain.parts ?? []).map((rects) =>
          rects.map(([x, y, width, height]): Rect => [left + x, top + y, width, height]),
        ),
        whole: hullOf(Object.values(pictures).map(({ dest }) => dest)),
      }),
    }
  })
}

type Corner = { readonly left: number; readonly top: number }

type Stackable = Corner &
  Pick<CaptionLine, 'begin' | 'end'> & {
    readonly height: number
    /** Distance that a line's strokes extend beyond its box, above and below. */
    readonly overhang: number
  }

/**
 * Stacks simultaneous lines, as libass does: a later line gives way, and keeps its place. `lines`
 * are ordered by begin.
 */
function stacked(lines: readonly Stackable[], way: 'up' | 'down'): Corner[] {
  let shown: Stackable[] = []
  return lines.map((line) => {
    shown = shown.filter(({ end }) => end > line.begin)
    let { top } = line
    const inOrder = shown.toSorted((a, b) => (way === 'up' ? b.top - a.top : a.top - b.top))
    for (const other of inOrder) {
      const gap = line.overhang + other.overhang
      const isClear = top + line.height + gap <= other.top || other.top + other.height + gap <= top
      if (isClear) continue
      top = way === 'up' ? other.top - gap - line.height : other.top + other.height + gap
    }
    const placed = { ...line, top }
    shown.push(placed)
    return placed
  })
}

/** Distance of the slide, in letter heights. */
const slideHeights = 1.5

type LineBakes = { readonly [key in keyof LineDocuments]: BakeFacts }

function bakesOf({ plate, plain, active }: LineDocuments, { bakes }: Facts): LineBakes {
  const bakeOf = (document: BakeDocument) => {
    const bake = bakes.get(bakeKeyText(document))
    if (bake) return bake
    const { field } = document
    throw new FarmError('internal', `No facts for ${field}: it was not baked.`, { field })
  }
  return {
    plain: bakeOf(plain),
    ...(plate && { plate: bakeOf(plate) }),
    ...(active && { active: bakeOf(active) }),
  }
}

/**
 * Returns the top left of a line's box, whole px. A margin points inwards; in the middle it moves
 * right and down.
 */
export function cornerOf(
  box: { readonly width: number; readonly height: number },
  { position, margin }: ResolvedSubtitle,
  canvas: { readonly width: number; readonly height: number },
): readonly [number, number] {
  const [ax, ay] = anchorPoint[position]
  // A margin only narrows a line that is centred, on both sides.
  const x = ax * (canvas.width - box.width) + (1 - 2 * ax) * margin.x
  const inwards = ay === 0.5 ? 1 : 1 - 2 * ay
  const y = ay * (canvas.height - box.height) + inwards * margin.y
  return [Math.round(x), Math.round(y)]
}

function timedParts(
  line: CaptionLine,
  animation: ResolvedSubtitle['animation'],
  { places, whole }: { places: readonly (readonly Rect[])[]; whole: Rect },
): TimedPart[] {
  const cells = cellsOf(places, whole)
  return partsOf(line, animation)
    .flat()
    .map(({ text, begin, end }, i) => {
      return { begin, end, cells: cells[i] ?? [], rightToLeft: isRightToLeft(text) }
    })
}

/** Divides `whole` among the places: at the middle between neighbours, outwards to its edges. */
function cellsOf(places: readonly (readonly Rect[])[], whole: Rect): Cell[][] {
  const cells: Cell[][] = places.map(() => [])
  const rows = rowsOf(places.flatMap((rects, part) => rects.map((box) => ({ part, box }))))
  const [wholeLeft, wholeTop, wholeWidth, wholeHeight] = whole
  rows.forEach((row, i) => {
    const top = i === 0 ? wholeTop : between(bottomOf(rows[i - 1]), topOf(row))
    const next = rows[i + 1]
    const bottom = next ? between(bottomOf(row), topOf(next)) : wholeTop + wholeHeight
    row.forEach(({ part, box }, k) => {
      const [before, after] = [row[k - 1]?.box, row[k + 1]?.box]
      const left = before ? between(before[0] + before[2], box[0]) : wholeLeft
      const right = after ? between(box[0] + box[2], after[0]) : wholeLeft + wholeWidth
      const rect: Rect = [left, top, right - left, bottom - top]
      if (rect[2] > 0 && rect[3] > 0) cells[part]?.push({ rect, box })
    })
  })
  return cells
}

type Placed = { readonly part: number; readonly box: Rect }

/** Groups into rows from top to bottom, each sorted from left to right. */
function rowsOf(placed: readonly Placed[]): Placed[][] {
  const rows: Placed[][] = []
  for (const each of placed.toSorted((a, b) => a.box[1] - b.box[1])) {
    const [, top, , height] = each.box
    const row = rows.at(-1)
    if (row && top + height / 2 < bottomOf(row)) row.push(each)
    else rows.push([each])
  }
  return rows.map((row) => row.toSorted((a, b) => a.box[0] - b.box[0]))
}

function topOf(row: readonly Placed[]): number {
  return Math.min(...row.map(({ box }) => box[1]))
}

function bottomOf(row: readonly Placed[] = []): number {
  return Math.max(...row.map(({ box }) => box[1] + box[3]))
}

const between = (one: number, other: number) => Math.round((one + other) / 2)
