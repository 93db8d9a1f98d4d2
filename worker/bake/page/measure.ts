import type { PageElement, PageGlobals, PageStyle } from './dom.ts'

declare const document: PageGlobals['document']
declare const getComputedStyle: PageGlobals['getComputedStyle']

export type Measured = {
  /** The layout box, CSS px. */
  readonly width: number
  readonly height: number
  /** What is laid out in it and around it, relative to the box's top left. */
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  /** How far shadows, blurs and glyphs may reach beyond that. */
  readonly reach: number
}

/** Layout boxes of all elements, in order. */
export function measure(): Measured[] {
  return [...document.querySelectorAll('.host')].map((host) => {
    const origin = host.getBoundingClientRect()
    const root = host.shadowRoot?.querySelector('.root') as PageElement
    const { width, height } = borderBox(getComputedStyle(root))
    const extent = { left: 0, top: 0, right: width, bottom: height }
    let effects = 0
    let fontSize = 0
    const clipped = new Set<PageElement>()
    for (const element of [root, ...root.querySelectorAll('*')]) {
      const style = getComputedStyle(element)
      const isInside = element.parentElement !== null && clipped.has(element.parentElement)
      const clips = style.overflowX !== 'visible' && style.overflowY !== 'visible'
      if (isInside || clips) clipped.add(element)
      if (isInside) continue
      fontSize = Math.max(fontSize, cssPx(style.fontSize))
      effects += effectReach(style)
      for (const rect of rectsOf(element, clips)) {
        extent.left = Math.min(extent.left, rect.left - origin.left)
        extent.top = Math.min(extent.top, rect.top - origin.top)
        extent.right = Math.max(extent.right, rect.right - origin.left)
        extent.bottom = Math.max(extent.bottom, rect.bottom - origin.top)
      }
    }
    return { ...extent, width, height, reach: Math.min(effects, 1_000) + fontSize / 3 }
  })
}

/** Used sizes, which no transform changes. */
export function borderBox(style: PageStyle): { width: number; height: number } {
  const sum = (names: readonly string[]) =>
    names.reduce((total, name) => total + cssPx(style[name]), 0)
  if (style.boxSizing === 'border-box') return { width: sum(['width']), height: sum(['height']) }
  return {
    width: sum(['width', 'paddingLeft', 'paddingRight', 'borderLeftWidth', 'borderRightWidth']),
    height: sum(['height', 'paddingTop', 'paddingBottom', 'borderTopWidth', 'borderBottomWidth']),
  }
}

export function rectsOf(element: PageElement, clips: boolean) {
  const box = element.getBoundingClientRect()
  if (clips) return [box]
  const range = document.createRange()
  range.selectNodeContents(element)
  return [box, range.getBoundingClientRect()]
}

export function effectReach(style: PageStyle): number {
  const outline =
    style.outlineStyle === 'none' ? 0 : cssPx(style.outlineWidth) + cssPx(style.outlineOffset)
  return (
    sumOfPx(style.boxShadow) +
    sumOfPx(style.textShadow) +
    // A CSS blur of n px is a Gaussian of that deviation: it ends at three of them.
    3 * sumOfPx(style.filter) +
    cssPx(style.webkitTextStrokeWidth) +
    outline
  )
}

export function cssPx(value: unknown): number {
  return Number.parseFloat(String(value)) || 0
}

export function sumOfPx(value: unknown): number {
  const lengths = String(value).matchAll(/(-?[\d.]+)px/g)
  return [...lengths].reduce((sum, [, length]) => sum + Math.abs(Number(length)), 0)
}
