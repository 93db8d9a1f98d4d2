import type { BakeWarning } from '../../../core/queue/tasks.ts'
import type { PageElement, PageGlobals, PageSvg } from './dom.ts'
import type { MountElement } from './mount-element.ts'
import { applyStyles, viewportToPx } from './style.ts'

declare const document: PageGlobals['document']
declare const getComputedStyle: PageGlobals['getComputedStyle']
declare const CSSStyleSheet: PageGlobals['CSSStyleSheet']

export type Mounted = {
  /** Computed `font-family` values in use, each with its text. */
  readonly families: Readonly<Record<string, string>>
  readonly text: string
  /** True when its faces have the metrics of captions. */
  readonly isCaption: boolean
  readonly warnings: readonly BakeWarning[]
}

/**
 * Puts every element into a cell of its own. A shadow tree keeps ids and style sheets apart. The
 * cell is a compositing layer of its own, so that pixels do not depend on its position.
 */
export function mount({
  elements,
  sheets,
}: {
  elements: readonly MountElement[]
  sheets: { readonly element: string; readonly still: string }
}): Mounted[] {
  const shared = new CSSStyleSheet()
  shared.replaceSync(sheets.still)
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
    if (element.parts) host.setAttribute('data-parts', '')
    if (element.rows) host.setAttribute('data-rows', JSON.stringify(element.rows))
    const root = document.createElement('div')
    root.className = 'root'
    root.innerHTML = element.markup
    if (element.css === undefined) {
      const shadow = host.attachShadow({ mode: 'open' })
      shadow.adoptedStyleSheets = [shared]
      shadow.append(root)
    } else {
      const style = document.createElement('style')
      style.textContent = `${sheets.element}\n${viewportToPx(element.css, element.canvas)}`
      const still = document.createElement('style')
      still.className = 'until-time-begins'
      still.textContent = sheets.still
      document.head.append(style)
      document.head.append(still)
      host.append(root)
    }
    cell.append(host)
    document.body.append(cell)
    const warnings = applyStyles(root, element)
    if (element.kind === 'svg') sizeSvg(root.querySelector('svg') as PageSvg, element)
    return { warnings, isCaption: element.rows !== undefined, ...fontsOf(root) }
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

/** Sets the requested size, else the picture's own; one edge alone keeps the proportions. */
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
  // An SVG without a viewBox would not scale; browsers give pictures one of their own size.
  if (!hasBox) svg.setAttribute('viewBox', `0 0 ${ownWidth ?? width} ${ownHeight ?? height}`)
  if (asked.resize) {
    const fit = asked.resize === 'cover' ? 'slice' : 'meet'
    svg.setAttribute('preserveAspectRatio', `xMidYMid ${fit}`)
  }
  svg.style?.setProperty('display', 'block', 'important')
  svg.style?.setProperty('width', `${width}px`, 'important')
  svg.style?.setProperty('height', `${height}px`, 'important')
}
