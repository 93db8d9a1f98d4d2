import type { PageElement, PageGlobals, PageSvg } from './dom.ts'

declare const document: PageGlobals['document']
declare const getComputedStyle: PageGlobals['getComputedStyle']
declare const CSSStyleSheet: PageGlobals['CSSStyleSheet']

export type MountElement = {
  readonly kind: 'html' | 'svg'
  readonly markup: string
  /** CSS name → value. */
  readonly style: readonly (readonly [string, string | number])[]
  readonly width: number | undefined
  readonly height: number | undefined
  /** Keep the proportions inside the box, or fill it. */
  readonly resize: 'contain' | 'cover' | undefined
  /** What percentages and vw, vh are of, px; text wraps at its width. */
  readonly canvas: { readonly width: number; readonly height: number }
}

export type Mounted = {
  /** Computed `font-family` values in use, each with the text that stands in it. */
  readonly families: Readonly<Record<string, string>>
  readonly text: string
  readonly warnings: readonly string[]
}

/**
 * Puts every element into a cell of its own: a shadow tree keeps ids and style sheets apart, and
 * the cell is a compositing layer of its own, so that pixels do not depend on where it stands.
 */
export function mount({
  elements,
  sheet,
}: {
  elements: readonly MountElement[]
  sheet: string
}): Mounted[] {
  const shared = new CSSStyleSheet()
  shared.replaceSync(sheet)
  return elements.map((element) => {
    const cell = document.createElement('div')
    cell.className = 'cell'
    const host = document.createElement('div')
    host.className = 'host'
    host.style?.setProperty('width', `${element.canvas.width}px`)
    host.style?.setProperty('height', `${element.canvas.height}px`)
    if (element.kind === 'html' && element.resize) {
      const { width, height, resize } = element
      host.setAttribute('data-fit', JSON.stringify({ width, height, resize }))
    }
    const shadow = host.attachShadow({ mode: 'open' })
    shadow.adoptedStyleSheets = [shared]
    const root = document.createElement('div')
    root.className = 'root'
    root.innerHTML = element.markup
    shadow.append(root)
    cell.append(host)
    document.body.append(cell)
    return { warnings: applyStyles(root, element), ...fontsOf(root) }
  })
}

export function fontsOf(root: PageElement): Pick<Mounted, 'families' | 'text'> {
  const families: Record<string, string> = {}
  for (const each of [root, ...root.querySelectorAll('*')]) {
    const family = String(getComputedStyle(each).fontFamily)
    families[family] ??= ''
    for (const node of each.childNodes) {
      // 3 = a text node.
      if (node.nodeType === 3) families[family] += node.textContent ?? ''
    }
  }
  return { families, text: root.textContent ?? '' }
}

export function applyStyles(root: PageElement, element: MountElement): string[] {
  const warnings: string[] = []
  for (const [name, value] of element.style) {
    const text = viewportToPx(String(value), element.canvas)
    const [, plain = text, important = ''] = /^(.*?)\s*!(important)\s*$/is.exec(text) ?? []
    const before = root.style?.cssText
    root.style?.setProperty(name, plain, important)
    // A bare number is a length wherever the property takes no bare number.
    if (root.style?.cssText === before && typeof value === 'number') {
      root.style?.setProperty(name, `${value}px`)
    }
    if (root.style?.getPropertyValue(name) === '') {
      warnings.push(`style.${name}: the browser does not understand ${text.slice(0, 60)}`)
    }
  }
  for (const styled of root.querySelectorAll('[style]')) {
    const css = styled.style?.cssText ?? ''
    const inPx = viewportToPx(css, element.canvas)
    if (styled.style && inPx !== css) styled.style.cssText = inPx
  }
  if (element.kind === 'svg') {
    sizeSvg(root.querySelector('svg') as PageSvg, element)
  } else if (!element.resize) {
    if (element.width !== undefined) root.style?.setProperty('width', `${element.width}px`)
    if (element.height !== undefined) root.style?.setProperty('height', `${element.height}px`)
  }
  return warnings
}

/** The page is as large as all cells together, so the units of the viewport are taken from the canvas. */
export function viewportToPx(css: string, canvas: MountElement['canvas']): string {
  const { width, height } = canvas
  const edges: Record<string, number> = { w: width, i: width, h: height, b: height }
  edges.min = Math.min(width, height)
  edges.max = Math.max(width, height)
  return css.replace(
    /(-?[\d.]+)[dsl]?v(w|h|i|b|min|max)\b/gi,
    (_, number: string, axis: string) => {
      return `${(Number(number) * (edges[axis.toLowerCase()] ?? 0)) / 100}px`
    },
  )
}

/** The size asked for, else the picture's own; one edge alone keeps the proportions. */
export function sizeSvg(svg: PageSvg, asked: MountElement): void {
  const own = ({ value, unitType }: { value: number; unitType: number }) =>
    unitType === 2 || value <= 0 ? undefined : value
  const box = svg.viewBox.baseVal
  const hasBox = box !== null && box.width > 0 && box.height > 0
  const ownWidth = own(svg.width.baseVal)
  const ownHeight = own(svg.height.baseVal)
  const ratio = ownWidth && ownHeight ? ownWidth / ownHeight : hasBox ? box.width / box.height : 2
  const isFree = asked.width === undefined && asked.height === undefined
  const givenHeight = isFree ? ownHeight : asked.height
  const widthOfHeight = givenHeight === undefined ? undefined : givenHeight * ratio
  const width = (isFree ? ownWidth : asked.width) ?? widthOfHeight ?? (hasBox ? box.width : 300)
  const height = givenHeight ?? width / ratio
  // Without a viewBox nothing would scale; browsers give pictures one of their own size.
  if (!hasBox) svg.setAttribute('viewBox', `0 0 ${ownWidth ?? width} ${ownHeight ?? height}`)
  if (asked.resize) {
    const fit = asked.resize === 'cover' ? 'slice' : 'meet'
    svg.setAttribute('preserveAspectRatio', `xMidYMid ${fit}`)
  }
  svg.style?.setProperty('display', 'block', 'important')
  svg.style?.setProperty('width', `${width}px`, 'important')
  svg.style?.setProperty('height', `${height}px`, 'important')
}
