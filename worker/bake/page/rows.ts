import { balancedRows, type RowWord } from '../../../core/looks/caption-rows.ts'
import type { BakeDocument } from '../../../core/queue/tasks.ts'
import type { PageElement, PageGlobals } from './dom.ts'

declare const document: PageGlobals['document']

type Rows = NonNullable<BakeDocument['rows']>

/** A word, or a letter of a word that is wider than a row. */
type Unit = RowWord & { readonly element: PageElement; readonly space?: PageElement }

type Row = { readonly text: string; readonly first: PageElement; readonly last: PageElement }

/**
 * Divides the words of captions into rows and gives them their strokes. Their fonts must be loaded.
 */
export function layRows(): void {
  const laid = [...document.querySelectorAll('.host[data-rows]')].map((host) => {
    const root = (host.shadowRoot ?? host).querySelector('.root') as PageElement
    const { room, stroke }: Rows = JSON.parse(host.getAttribute('data-rows') ?? '{}')
    const units = unitsIn(root, room)
    return { root, units, stroke, begins: balancedRows(units, room) }
  })
  for (const { units, begins } of laid) {
    for (const begin of begins.slice(1)) {
      const { element, space, breaks } = units[begin] as Unit
      if (breaks) continue
      space?.remove()
      element.before(document.createElement('br'))
    }
  }
  for (const { root, units, stroke, begins } of laid) {
    if (stroke) strokeRows(root, rowsIn(units, begins), stroke)
  }
}

/** Returns words with their widths; all stand in one row, except for line breaks of the text. */
export function unitsIn(root: PageElement, room: number): Unit[] {
  const units: Unit[] = []
  let space: PageElement | undefined
  let breaks = false
  for (const element of [...root.querySelectorAll('.word, .space, br')]) {
    if (element.className === 'space') space = element
    else if (element.localName === 'br') breaks = true
    else {
      const gap = space ? widthOf(space) : 0
      const width = widthOf(element)
      if (width <= room) units.push({ element, width, gap, breaks, ...(space && { space }) })
      else {
        const letters = lettersOf(element).map((letter) => {
          return { element: letter, width: widthOf(letter), gap: 0, breaks: false }
        })
        const [first, ...others] = letters
        if (first) units.push({ ...first, gap, breaks, ...(space && { space }) }, ...others)
      }
      space = undefined
      breaks = false
    }
  }
  return units
}

export function widthOf(element: PageElement): number {
  const { left, right } = element.getBoundingClientRect()
  return right - left
}

/** Puts each letter of a word into an element of its own. */
export function lettersOf(word: PageElement): PageElement[] {
  const letters = new Intl.Segmenter('en', { granularity: 'grapheme' })
  return [...word.querySelectorAll('.part')].flatMap((part) => {
    const text = part.textContent ?? ''
    part.textContent = ''
    return [...letters.segment(text)].map(({ segment }) => {
      const letter = document.createElement('span')
      letter.textContent = segment
      part.append(letter)
      return letter
    })
  })
}

export function rowsIn(units: readonly Unit[], begins: readonly number[]): Row[] {
  return begins.flatMap((begin, row) => {
    const own = units.slice(begin, begins[row + 1] ?? units.length)
    const [first, last] = [own[0], own.at(-1)]
    if (!first || !last) return []
    const text = own.map(({ element, space }, i) => {
      return `${i > 0 && space ? ' ' : ''}${element.textContent ?? ''}`
    })
    return [{ text: text.join(''), first: first.element, last: last.element }]
  })
}

/**
 * Draws rows as SVG, whose strokes can have round joins; strokes of HTML have spikes. Strokes of
 * all rows lie under all letters.
 */
export function strokeRows(
  root: PageElement,
  rows: readonly Row[],
  { color, width }: NonNullable<Rows['stroke']>,
): void {
  const box = root.getBoundingClientRect()
  const places = rows.map(({ first, last }) => {
    const mark = document.createElement('span')
    mark.style?.setProperty('display', 'inline-block')
    first.before(mark)
    const { bottom } = mark.getBoundingClientRect()
    mark.remove()
    const [one, other] = [first.getBoundingClientRect(), last.getBoundingClientRect()]
    const isLeftToRight = root.style?.getPropertyValue('direction') !== 'rtl'
    const x = isLeftToRight ? Math.min(one.left, other.left) : Math.max(one.right, other.right)
    return { x: x - box.left + width, y: bottom - box.top + width }
  })
  const [across, down] = [box.right - box.left + 2 * width, box.bottom - box.top + 2 * width]
  const text = (look: string) =>
    places.map(({ x, y }) => `<text x="${x}" y="${y}" style="${look}"></text>`).join('')
  const holder = document.createElement('span')
  holder.innerHTML =
    `<svg width="${across}" height="${down}" style="position:absolute;left:${-width}px;` +
    `top:${-width}px;overflow:visible;white-space:pre">` +
    text(`fill:none;stroke:${color};stroke-width:${2 * width}px;stroke-linejoin:round`) +
    `${text(`fill:${root.style?.getPropertyValue('color')}`)}</svg>`
  for (const [i, element] of [...holder.querySelectorAll('text')].entries()) {
    element.textContent = rows[i % rows.length]?.text ?? ''
  }
  root.style?.setProperty('-webkit-text-fill-color', 'transparent')
  root.append(holder)
}
