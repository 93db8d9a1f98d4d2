import type { PageElement, PageGlobals, PageStyle } from './dom.ts'
import { type Effort, effortOf } from './effort.ts'

declare const document: PageGlobals['document']
declare const getComputedStyle: PageGlobals['getComputedStyle']

/** Lengths in CSS px. */
export type Sides = {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export type Measured = {
  /** Size of the layout box, CSS px. */
  readonly width: number
  readonly height: number
  /** Space kept free around the box; may be negative. */
  readonly margin: Sides
  /** Extent of its content, inside the box and beyond it, relative to the box's top left. */
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  /** Distance that shadows, blurs and glyphs may reach beyond that extent. */
  readonly reach: number
  readonly effort: Effort
  /** Largest edge up to which one layer looks the same drawn alone as on the screen, px. */
  readonly alikeUpTo: number
  /** Boxes of the elements of class `part`, px of the box; only on request. */
  readonly parts?: [number, number, number, number][][]
}

/** Fits the elements that need it, then returns all layout boxes, in order. */
export function measure(): Measured[] {
  return [...document.querySelectorAll('.host')].map((host) => {
    const root = (host.shadowRoot ?? host).querySelector('.root') as PageElement
    const margin = marginOf(getComputedStyle(root))
    if (margin.left !== 0 || margin.top !== 0) {
      // The box itself, not its margin, stands at the host's position.
      host.style?.setProperty('margin', `${-margin.top}px 0 0 ${-margin.left}px`)
    }
    const corner = host.getBoundingClientRect()
    const origin = { left: corner.left + margin.left, top: corner.top + margin.top }
    const { scale, width, height } = fitHost(host, borderBox(getComputedStyle(root)), margin)
    const extent = { left: 0, top: 0, right: width, bottom: height }
    let effects = 0
    let fontSize = 0
    let isSteady = scale === 1 && root.querySelector('svg') === null
    const clipped = new Set<PageElement>()
    for (const element of [root, ...root.querySelectorAll('*')]) {
      const style = getComputedStyle(element)
      const isInside = element.parentElement !== null && clipped.has(element.parentElement)
      const clips = style.overflowX !== 'visible' && style.overflowY !== 'visible'
      if (isInside || clips) clipped.add(element)
      isSteady &&= isSteadyStyle(style)
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
    const reach = (Math.min(effects, 1_000) + fontSize / 3) * scale
    const parts = host.getAttribute('data-parts') === null ? undefined : partsIn(root, origin)
    const effort = effortOf(root, scale)
    // The screen scales a picture before it draws it. 512 px is one tile.
    const alikeUpTo = root.querySelector('img') !== null ? 0 : isSteady ? 4_096 : 512
    const layout = { ...extent, width, height, margin, reach, effort, alikeUpTo }
    return { ...layout, ...(parts && { parts }) }
  })
}

/**
 * Returns whether the style draws the same in any tile. Letters up to a certain size are drawn once
 * and copied, straight edges and flat colours are exact; small corners and gradients differ by 1 of
 * 255 with their tile. Other curves differ by more.
 */
export function isSteadyStyle(style: PageStyle): boolean {
  const lines = ['borderTop', 'borderRight', 'borderBottom', 'borderLeft', 'outline', 'columnRule']
  const corners = ['TopLeft', 'TopRight', 'BottomLeft', 'BottomRight'].map((corner) => {
    const radius = String(style[`border${corner}Radius`])
    return radius.includes('%') ? 100 : cssPx(radius)
  })
  const isFlat = style.boxShadow === 'none' && style.overflowX === 'visible'
  const none =
    'borderImageSource clipPath filter maskImage offsetPath resize rotate scale transform translate ' +
    'webkitBoxReflect webkitMaskBoxImageSource'
  return (
    cssPx(style.fontSize) <= 200 &&
    style.zoom === '1' &&
    style.display !== 'list-item' &&
    [...lines, 'textDecoration'].every((name) =>
      ['none', 'solid'].includes(String(style[`${name}Style`])),
    ) &&
    Math.max(...corners) <= (isFlat ? 64 : 0) &&
    none.split(' ').every((name) => style[name] === 'none')
  )
}

export function partsIn(root: PageElement, origin: { left: number; top: number }) {
  return [...root.querySelectorAll('.part')].map((part) =>
    [...part.getClientRects()].flatMap(({ left, top, right, bottom }) => {
      const x = Math.round(left - origin.left)
      const y = Math.round(top - origin.top)
      const width = Math.round(right - origin.left) - x
      const height = Math.round(bottom - origin.top) - y
      return width > 0 && height > 0
        ? [[x, y, width, height] as [number, number, number, number]]
        : []
    }),
  )
}

/**
 * Scales an element of its own size into its target box, centred, like a photograph; the browser
 * draws its text at that size. A missing edge follows from the proportions.
 */
export function fitHost(
  host: PageElement,
  natural: { width: number; height: number },
  margin: Sides,
): { scale: number; width: number; height: number } {
  const asked = host.getAttribute('data-fit')
  if (asked === null) return { scale: 1, ...natural }
  const fit: { width?: number; height?: number; resize: 'contain' | 'cover' } = JSON.parse(asked)
  const across = Math.max(1, natural.width)
  const down = Math.max(1, natural.height)
  const width = fit.width ?? ((fit.height ?? down) * across) / down
  const height = fit.height ?? (width * down) / across
  const choose = fit.resize === 'cover' ? Math.max : Math.min
  const scale = choose(width / across, height / down)
  const left = (width - across * scale) / 2
  const top = (height - down * scale) / 2
  host.style?.setProperty('transform-origin', `${margin.left}px ${margin.top}px`)
  host.style?.setProperty('transform', `translate(${left}px, ${top}px) scale(${scale})`)
  return { scale, width, height }
}

export function marginOf(style: PageStyle): Sides {
  const { marginLeft, marginTop, marginRight, marginBottom } = style
  return {
    left: cssPx(marginLeft),
    top: cssPx(marginTop),
    right: cssPx(marginRight),
    bottom: cssPx(marginBottom),
  }
}

/** Returns the used sizes, which no transform changes. */
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
    // A CSS blur of n px is a Gaussian of that deviation: it ends at three deviations.
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
