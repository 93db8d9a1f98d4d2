import { decodePng, decodeUsualPng, encodePng, oneMemory, type Pixels } from '../png/index.ts'
import type { Cell } from './page/place.ts'

/** Bounds of all that is not fully transparent, px of its cell; the far edges are exclusive. */
export type Ink = { left: number; top: number; right: number; bottom: number }

export type CutRequest = {
  /** Picture as the browser painted it, `width` x `height`. */
  readonly png: Uint8Array
  readonly width: number
  readonly height: number
  readonly cells: readonly CutCell[]
}

type CutCell = Cell & {
  /**
   * Conditions for encoding its ink: whether it may touch the edge, and its largest share of the
   * cell.
   */
  readonly encode: { readonly atEdge: boolean; readonly upTo: number }
}

/** Result of a cut. An empty cell has no ink, and a PNG of one transparent pixel. */
export type Cut = { readonly ink: Ink | undefined; readonly png: Uint8Array | undefined }

/**
 * Cuts the ink of each cell out of one picture, to a PNG of its own; the same pixels give the same
 * bytes.
 */
export function createCut(): (request: CutRequest) => Promise<Cut[]> {
  const memoryFor = oneMemory()
  return async ({ png, width, height, cells }) => {
    const size = { width, height }
    // The memory is shared: no await may come between decoding into it and cutting from it.
    const pixels = decodeUsualPng(png, size, memoryFor) ?? (await decodePng(png, size))
    return cells.map((cell) => cutCell(pixels, cell))
  }
}

function cutCell(pixels: Pixels, cell: CutCell): Cut {
  const ink = inkOf(pixels, cell)
  if (!ink) return { ink, png: encodePng({ data: Buffer.alloc(4), width: 1, height: 1 }) }
  const { atEdge, upTo } = cell.encode
  const share = ((ink.right - ink.left) * (ink.bottom - ink.top)) / (cell.width * cell.height)
  const isWanted = share <= upTo && (atEdge || !touchesEdge(ink, cell))
  return { ink, png: isWanted ? encodePng(part(pixels, cell, ink)) : undefined }
}

/** Returns the ink of a cell, relative to the cell; undefined when it is empty. */
function inkOf(pixels: Pixels, cell: Cell): Ink | undefined {
  const nothing = Buffer.alloc(cell.width * 4)
  const at = (x: number, y: number) => ((cell.y + y) * pixels.width + cell.x + x) * 4
  // Most rows are empty, and this comparison is some twenty times faster than a loop.
  const isBlank = (y: number, from: number, to: number) =>
    to <= from || pixels.data.compare(nothing, 0, (to - from) * 4, at(from, y), at(to, y)) === 0
  const firstInk = (y: number, to: number) => {
    if (isBlank(y, 0, to)) return to
    let x = 0
    while (x < to && pixels.data[at(x, y) + 3] === 0) x++
    return x
  }
  const endOfInk = (y: number, from: number) => {
    if (isBlank(y, from, cell.width)) return from
    let x = cell.width
    while (x > from && pixels.data[at(x, y) - 1] === 0) x--
    return x
  }
  let top = 0
  while (top < cell.height && firstInk(top, cell.width) === cell.width) top++
  if (top === cell.height) return undefined
  let bottom = cell.height
  while (firstInk(bottom - 1, cell.width) === cell.width) bottom--
  let left = cell.width
  let right = 0
  for (let y = top; y < bottom; y++) {
    left = firstInk(y, left)
    right = endOfInk(y, right)
  }
  return { left, top, right, bottom }
}

/** Returns whether ink touches an edge of the cell, where more of it may have been cut off. */
export function touchesEdge(ink: Ink, cell: Cell): boolean {
  return ink.left === 0 || ink.top === 0 || ink.right === cell.width || ink.bottom === cell.height
}

function part(pixels: Pixels, cell: Cell, ink: Ink): Pixels {
  const width = ink.right - ink.left
  const height = ink.bottom - ink.top
  const data = Buffer.allocUnsafeSlow(width * height * 4)
  for (let y = 0; y < height; y++) {
    const start = ((cell.y + ink.top + y) * pixels.width + cell.x + ink.left) * 4
    pixels.data.copy(data, y * width * 4, start, start + width * 4)
  }
  return { data, width, height }
}
