import type { PageElement, PageGlobals, PageStyle } from './dom.ts'

declare const getComputedStyle: PageGlobals['getComputedStyle']

/** Cost of painting an element's filters: seconds of one core, and the most expensive filter. */
export type Effort = { readonly seconds: number; readonly most: string }

/**
 * Estimates the cost before anything is painted, from the sizes that the browser laid out. `scale`:
 * of the element in its box. Referenced content (a mask, a pattern, `<use>`) counts at each use.
 */
export function effortOf(root: PageElement, scale: number): Effort {
  const total = { seconds: 0, most: '', mostSeconds: 0 }
  if (!/filter|shadow/i.test(`${root.style?.cssText} ${root.innerHTML}`)) return total
  const page = root.getBoundingClientRect()
  // Overflow beyond the box is painted too, except in an SVG.
  const isSvg = root.querySelector('svg')?.parentElement === root
  const cap = areaOf(page) * (isSvg ? 1 : 2.25)
  const byId = new Map<string, PageElement>()
  for (const each of root.querySelectorAll('[id]')) {
    const id = each.getAttribute('id') ?? ''
    if (!byId.has(id)) byId.set(id, each)
  }
  for (const element of [root, ...root.querySelectorAll('*')]) {
    const box = element.getBoundingClientRect()
    const parts = workOf(element, { byId, depth: 0, box, scale: scaleOf(element, scale) })
    for (const { name, perMpx, areaPx } of parts) {
      const seconds = (perMpx * Math.min(cap, areaPx)) / 1e6
      total.seconds += seconds
      if (seconds > total.mostSeconds) Object.assign(total, { most: name, mostSeconds: seconds })
    }
  }
  return total
}

type Work = { readonly name: string; readonly perMpx: number; readonly areaPx: number }
type EffortContext = {
  readonly byId: ReadonlyMap<string, PageElement>
  /** Depth of references followed so far. */
  readonly depth: number
  /** Painted area, px of the page. */
  readonly box: { left: number; top: number; right: number; bottom: number }
  readonly scale: number
}

/** Returns the filters that painting this one element runs, without its descendants. */
export function workOf(element: PageElement, place: EffortContext): Work[] {
  const areaPx = areaOf(place.box)
  if (areaPx === 0) return []
  const style = getComputedStyle(element)
  const work = cssWork(style, place)
  const { fill, stroke, maskImage, mask, clipPath, markerStart, markerMid, markerEnd } = style
  const painted = [fill, stroke, maskImage, mask, clipPath, markerStart, markerMid, markerEnd]
  const used = element.localName === 'use' ? `url(${hrefOf(element)})` : ''
  for (const id of idsIn(String(style.filter))) {
    const filter = place.byId.get(id)
    if (filter) work.push(...filterWork(filter, place))
  }
  for (const id of new Set(idsIn(`${painted.join(' ')} ${used}`))) {
    const target = place.byId.get(id)
    if (!target) continue
    // No real design nests references this deeply.
    if (place.depth >= 30) return [...work, { name: 'nested references', perMpx: 1e9, areaPx }]
    for (const each of [target, ...target.querySelectorAll('*')]) {
      work.push(...workOf(each, { ...place, depth: place.depth + 1 }))
    }
  }
  return work
}

export function cssWork({ filter, textShadow }: PageStyle, { box, scale }: EffortContext): Work[] {
  const work: Work[] = []
  const add = (name: string, px: number) => {
    // The blur enlarges the picture on each side by its reach.
    const deviation = Math.min(532, px * scale)
    const { left, top, right, bottom } = box
    const areaPx = (right - left + 2 * deviation) * (bottom - top + 2 * deviation)
    work.push({ name, perMpx: blurSeconds(deviation), areaPx })
  }
  for (const [, name = '', body = ''] of String(filter).matchAll(
    /(blur|drop-shadow)\(([^()]*(?:\([^()]*\)[^()]*)*)\)/g,
  )) {
    const lengths = [...body.matchAll(/(-?[\d.]+(?:e[+-]?\d+)?)px/g)].map(([, px]) => Number(px))
    add(name, lengths.at(-1) ?? 0)
  }
  // The third length of each shadow is twice its deviation.
  for (const [, blur] of String(textShadow).matchAll(/px [-\d.e+]+px ([\d.e+]+)px/g)) {
    add('text-shadow', Number(blur) / 2)
  }
  return work
}

/** Returns the work of a filter; each primitive covers the filter's whole region. */
export function filterWork(filter: PageElement, { box, scale }: EffortContext): Work[] {
  const [across, down] = [box.right - box.left, box.bottom - box.top]
  const isFixed = filter.getAttribute('filterUnits') === 'userSpaceOnUse'
  const edge = (name: string, whole: number) => {
    const text = filter.getAttribute(name)
    const number = Number.parseFloat(text ?? '') || 1.2
    if (text?.includes('%')) return (number / 100) * whole
    return isFixed && text !== null ? number * scale : number * whole
  }
  const areaPx = edge('width', across) * edge('height', down)
  const isShare = filter.getAttribute('primitiveUnits') === 'objectBoundingBox'
  const unit = isShare ? Math.max(across, down) : scale
  return [...filter.querySelectorAll('*')].map((primitive) => {
    return { name: primitive.localName, perMpx: primitiveSeconds(primitive, unit), areaPx }
  })
}

/** Returns seconds per million px, measured with this browser on one core of 2024. */
export function primitiveSeconds(primitive: PageElement, unit: number): number {
  const numbers = (name: string) =>
    (primitive.getAttribute(name) ?? '')
      .trim()
      .split(/[\s,]+/)
      .map(Number)
      .filter(Number.isFinite)
  const largest = (name: string, usual: number) => Math.max(usual, ...numbers(name))
  switch (primitive.localName) {
    case 'feTurbulence':
      return 0.06 * largest('numOctaves', 1)
    case 'feMorphology':
      return 0.2 + 0.02 * unit * largest('radius', 0)
    case 'feGaussianBlur':
      return blurSeconds(unit * largest('stdDeviation', 0))
    case 'feDropShadow':
      return blurSeconds(unit * largest('stdDeviation', 2))
    case 'feConvolveMatrix':
      return 0.04 * largest('order', 3) ** 2
    case 'feDiffuseLighting':
    case 'feSpecularLighting':
      return 0.12
    default:
      return 0.02
  }
}

/**
 * Returns the seconds of a blur. `deviation` in px; beyond some 500 the browser blurs no further.
 */
export function blurSeconds(deviation: number): number {
  return 0.01 + 0.0025 * Math.min(532, Math.max(0, deviation))
}

export function areaOf(box: { left: number; top: number; right: number; bottom: number }): number {
  return Math.max(0, box.right - box.left) * Math.max(0, box.bottom - box.top)
}

/** Returns the page px per px of the element. */
export function scaleOf(element: PageElement, usual: number): number {
  const matrix = element.getScreenCTM?.()
  return matrix ? Math.sqrt(Math.abs(matrix.a * matrix.d - matrix.b * matrix.c)) : usual
}

export function hrefOf(element: PageElement): string {
  return element.getAttribute('href') ?? element.getAttribute('xlink:href') ?? ''
}

export function idsIn(text: string): string[] {
  return [...text.matchAll(/url\(["']?#([^"')]+)/g)].flatMap(([, id]) => id ?? [])
}
