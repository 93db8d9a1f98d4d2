import type { Measured } from './page/measure.ts'
import type { Cell } from './page/place.ts'

/** Largest edge of an element's cell, including all that it paints around itself, px. */
export const maxCellEdge = 8_192
export const maxCellArea = 33_554_432

/** Limits of one screenshot, unless a single cell is larger: width, and area in px (64 MB). */
const maxAtlasWidth = 4_096
const maxAtlasArea = 16_777_216

/** Room for antialiased edges; anything that reaches further is found by looking at the edge. */
const minPad = 4

export type Pads = { left: number; top: number; right: number; bottom: number }

/** Returns a first estimate of how far an element paints beyond its box, whole px. */
export function padsOf({ left, top, right, bottom, width, height, reach }: Measured): Pads {
  const pad = (beyond: number) => minPad + Math.ceil(reach + Math.max(0, beyond))
  return {
    left: pad(-left),
    top: pad(-top),
    right: pad(right - width),
    bottom: pad(bottom - height),
  }
}

/**
 * Returns the cell of an element, not yet placed; ink beyond the largest cell is cut off evenly.
 */
export function cellOf({
  index,
  box,
  pads,
}: {
  index: number
  box: { width: number; height: number }
  pads: Pads
}): Cell {
  const across = spread(Math.ceil(box.width), pads.left, pads.right)
  const down = spread(Math.ceil(box.height), pads.top, pads.bottom)
  return {
    index,
    x: 0,
    y: 0,
    width: across.size,
    height: down.size,
    padLeft: across.before,
    padTop: down.before,
  }
}

/** Returns the cell with more room around the element; undefined when it is at its maximum. */
export function widerCell(cell: Cell, box: { width: number; height: number }): Cell | undefined {
  const more = (pad: number) => pad * 4
  const pads = {
    left: more(cell.padLeft),
    top: more(cell.padTop),
    right: more(cell.width - cell.padLeft - Math.ceil(box.width)),
    bottom: more(cell.height - cell.padTop - Math.ceil(box.height)),
  }
  const wider = cellOf({ index: cell.index, box, pads })
  const isSame = wider.width === cell.width && wider.height === cell.height
  return isSame || wider.width * wider.height > maxCellArea ? undefined : wider
}

function spread(edge: number, before: number, after: number): { size: number; before: number } {
  const room = Math.max(0, maxCellEdge - edge)
  const start = Math.min(before, Math.max(room >> 1, room - after))
  return { size: Math.max(1, edge + start + Math.min(after, room - start)), before: start }
}

export type Atlas = { readonly width: number; readonly height: number; readonly cells: Cell[] }

/** Lays cells out in rows, in their order, on as few pictures as the area allows. */
export function packCells(cells: readonly Cell[]): Atlas[] {
  const atlases: Atlas[] = []
  let placed: Cell[] = []
  let row = { x: 0, y: 0, height: 0 }
  let width = 0
  const close = () => {
    if (placed.length > 0) atlases.push({ width, height: row.y + row.height, cells: placed })
    placed = []
    row = { x: 0, y: 0, height: 0 }
    width = 0
  }
  for (const cell of cells) {
    if (row.x > 0 && row.x + cell.width > maxAtlasWidth) {
      row = { x: 0, y: row.y + row.height, height: 0 }
    }
    const right = Math.max(width, row.x + cell.width)
    const bottom = row.y + Math.max(row.height, cell.height)
    if (placed.length > 0 && right * bottom > maxAtlasArea) close()
    placed.push({ ...cell, x: row.x, y: row.y })
    width = Math.max(width, row.x + cell.width)
    row = { ...row, x: row.x + cell.width, height: Math.max(row.height, cell.height) }
  }
  close()
  return atlases
}
