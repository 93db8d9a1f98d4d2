import { type FaceMetrics, faceMetrics } from './face-metrics.ts'
import type { BundledFamily } from './families.ts'

/**
 * Sizes and rows of captions are those of libass: a row is exactly as high as the font's `size`, and so
 * many letters stand in it that the rows of a caption are about equally long.
 */

/** CSS that every caption has; `size` px. libass kerns only when told to. */
export function captionFont(size: number) {
  return { fontSize: `${size}px`, lineHeight: `${size}px`, fontKerning: 'none' } as const
}

/** The name under which a page has the faces of a family in the sizes of captions. */
export function captionFamily(family: string): string {
  return `${family} in captions`
}

/**
 * Descriptors of `@font-face` that give a face libass's size: its ascent and descent together are
 * `font-size` high, so its em is that x unitsPerEm / (winAscent + winDescent).
 */
export function captionFace(family: BundledFamily): string {
  const [unitsPerEm, winAscent, winDescent]: FaceMetrics = faceMetrics[family]
  const percent = (share: number) => `${Math.round(share * 1e6) / 1e4}%`
  return [
    `size-adjust:${percent(unitsPerEm / (winAscent + winDescent))}`,
    `ascent-override:${percent(winAscent / unitsPerEm)}`,
    `descent-override:${percent(winDescent / unitsPerEm)}`,
    'line-gap-override:0%;',
  ].join(';')
}

/** A word that stays in one row. `gap`: the space before it, where it begins no row. */
export type RowWord = {
  readonly width: number
  readonly gap: number
  /** Begins a row in any case. */
  readonly breaks: boolean
}

/**
 * Which words begin rows in a width of `room`: first as many words as fit, then words move down as long
 * as that makes two rows more alike (libass, WrapStyle 0). Runs in a browser's page, so it may use
 * nothing but what it is given.
 */
export function balancedRows(words: readonly RowWord[], room: number): number[] {
  const widthOf = (from: number, to: number) => {
    let width = 0
    for (let i = from; i < to; i += 1) {
      width += (words[i]?.width ?? 0) + (i > from ? (words[i]?.gap ?? 0) : 0)
    }
    return width
  }
  let begins: number[] = []
  for (const [i, { breaks }] of words.entries()) {
    const begin = begins.at(-1)
    if (begin === undefined || breaks || widthOf(begin, i + 1) >= room) begins.push(i)
  }
  // Each turn moves words down only, so it ends.
  for (let isMoving = true; isMoving; ) {
    isMoving = false
    const before = begins
    begins = before.map((begin, row) => {
      const above = before[row - 1]
      if (above === undefined || words[begin]?.breaks || begin - above < 2) return begin
      const end = before[row + 1] ?? words.length
      const unlike = Math.abs(widthOf(above, begin) - widthOf(begin, end))
      const moved = Math.abs(widthOf(above, begin - 1) - widthOf(begin - 1, end))
      if (moved >= unlike) return begin
      isMoving = true
      return begin - 1
    })
  }
  return begins
}
