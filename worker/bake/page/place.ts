import type { PageGlobals } from './dom.ts'

declare const document: PageGlobals['document']

/** A cell of a picture, all whole px. */
export type Cell = {
  /** Which element. */
  readonly index: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Where the element's box stands inside the cell. */
  readonly padLeft: number
  readonly padTop: number
}

/** Lays out the cells of one picture; all other elements are not shown. */
export function place({ cells }: { cells: readonly Cell[] }): void {
  const byIndex = new Map(cells.map((cell) => [cell.index, cell]))
  for (const [index, element] of [...document.querySelectorAll('.cell')].entries()) {
    const cell = byIndex.get(index)
    element.style?.setProperty('display', cell ? 'block' : 'none')
    if (!cell) continue
    element.style?.setProperty('left', `${cell.x}px`)
    element.style?.setProperty('top', `${cell.y}px`)
    element.style?.setProperty('width', `${cell.width}px`)
    element.style?.setProperty('height', `${cell.height}px`)
    const host = element.querySelector('.host')
    host?.style?.setProperty('left', `${cell.padLeft}px`)
    host?.style?.setProperty('top', `${cell.padTop}px`)
  }
}
