import { type FaceMetrics, faceMetrics } from './face-metrics.ts'
import type { BundledFamily } from './families.ts'

/**
 * Sizes and rows of captions follow libass: a row is exactly as high as the font's `size`, and rows
 * of one caption are about equally long.
 */

/** CSS of every caption; `size` in px. libass kerns only when told to. */
export function captionFont(size: number) {
  return { fontSize: `${size}px`, lineHeight: `${size}px`, fontKerning: 'none' } as const
}

/** Name of a family's faces in caption sizes, within a page. */
export function captionFamily(family: string): string {
  return `${family} in captions`
}

/**
 * Descriptors of `@font-face` that give a face libass's size. There ascent plus descent is
 * `font-size` high, so the em is that x unitsPerEm / (winAscent + winDescent).
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

/** A word that stays in one row. `gap`: the space before it, unless it begins a row. */
export type RowWord = {
  readonly width: number
  readonly gap: number
  /** Always begins a row. */
  readonly breaks: boolean
}

/**
 * Returns the words that begin rows in a width of `room`. Rows are filled first; then words move
 * down while that makes two rows more alike (libass, WrapStyle 0). Runs in a browser's page, so it
 * may use its arguments only.
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
  // Each pass only moves words down, so it ends.
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
