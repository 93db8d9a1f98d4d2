/** Left, top, width, height, px. */
export type Rect = readonly [x: number, y: number, width: number, height: number]

/** Px. */
export type Size = { readonly width: number; readonly height: number }

/** Distances beyond the four edges of a box, whole px. */
export type Padding = {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Returns the smallest rectangle that holds all of them. */
export function hullOf(rects: readonly Rect[]): Rect {
  const left = Math.min(...rects.map(([x]) => x))
  const top = Math.min(...rects.map(([, y]) => y))
  const right = Math.max(...rects.map(([x, , width]) => x + width))
  const bottom = Math.max(...rects.map(([, y, , height]) => y + height))
  return [left, top, right - left, bottom - top]
}

/** Returns the intersection of both rectangles; undefined when it is empty. */
export function overlapOf(one: Rect, other: Rect): Rect | undefined {
  const left = Math.max(one[0], other[0])
  const top = Math.max(one[1], other[1])
  const right = Math.min(one[0] + one[2], other[0] + other[2])
  const bottom = Math.min(one[1] + one[3], other[1] + other[3])
  return right > left && bottom > top ? [left, top, right - left, bottom - top] : undefined
}

export function overlaps(a: Rect, b: Rect): boolean {
  return a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3]
}
