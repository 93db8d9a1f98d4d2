import type { PageElement, PageGlobals } from './dom.ts'

declare const document: PageGlobals['document']

/** Cell of a picture, all whole px. */
export type Cell = {
  /** Index of the element. */
  readonly index: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Position of the element's box inside the cell. */
  readonly padLeft: number
  readonly padTop: number
}

/** Lays out the cells of one picture and hides all other elements. */
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

/** Returns the index of the element that contains the node, at any depth. */
export function cellIndexOf(node: PageElement): number {
  let outer = node
  for (let { host } = outer.getRootNode(); host; host = outer.getRootNode().host) outer = host
  const cell = outer.closest('.cell')
  return cell ? [...document.querySelectorAll('.cell')].indexOf(cell) : -1
}

/**
 * Stacks all cells in one place: they exist without being drawn for the screen. A newly made mark
 * proves that it is done.
 */
export function placeUnseen({ cells }: { cells: readonly Cell[] }): void {
  place({ cells: cells.map((cell) => ({ ...cell, x: 0, y: 0 })) })
  showAgain()
  document.body.style?.setProperty('opacity', '0')
  document.body.style?.setProperty('will-change', 'opacity')
  const mark = document.createElement('div')
  mark.className = 'mark'
  mark.style?.setProperty('position', 'absolute')
  mark.style?.setProperty('width', '1px')
  mark.style?.setProperty('height', '1px')
  mark.style?.setProperty('background', '#000')
  mark.style?.setProperty('will-change', 'transform')
  document.body.append(mark)
}

export function showAgain(): void {
  document.body.setAttribute('style', '')
  for (const mark of document.querySelectorAll('body > .mark')) mark.remove()
}

/** Removes everything that was mounted. */
export function clear(): void {
  showAgain()
  for (const cell of document.querySelectorAll('.cell')) cell.remove()
}
