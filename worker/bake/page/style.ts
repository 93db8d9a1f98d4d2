import type { BakeWarning } from '../../../core/queue/tasks.ts'
import type { PageElement, PageGlobals } from './dom.ts'
import type { MountElement } from './mount-element.ts'

declare const CSS: PageGlobals['CSS']

/**
 * Applies `style` and the size to an element; returns warnings for properties that paint nothing.
 */
export function applyStyles(root: PageElement, element: MountElement): BakeWarning[] {
  const warnings: BakeWarning[] = []
  const ignored = (property: string, why: string) => {
    warnings.push({ code: 'style_ignored', property, message: why })
  }
  for (const { property, name, value } of element.style) {
    const text = viewportToPx(String(value), element.canvas)
    const [, plain = text, important = ''] = /^(.*?)\s*!(important)\s*$/is.exec(text) ?? []
    // A bare number is a length for every property that takes no bare number.
    const forms = typeof value === 'number' ? [plain, `${value}px`] : [plain]
    const usable = forms.find((form) => CSS.supports(name, form))
    const overruled = styleEffect(name, plain.trim().toLowerCase(), element)
    if (usable === undefined) {
      const known = CSS.supports(name, 'inherit')
      const shown = plain.slice(0, 60)
      ignored(property, known ? `${name} has no value ${shown}` : `CSS has no property ${name}`)
    } else if (overruled !== undefined) {
      ignored(property, `${name} has no effect here: ${overruled}`)
    } else {
      root.style?.setProperty(name, usable, important)
      if (name.startsWith('margin') && dropAutoMargins(root)) {
        ignored(property, `${name} auto is 0 here: x, y and position place the element`)
      }
    }
  }
  for (const styled of root.querySelectorAll('[style]')) {
    const css = styled.style?.cssText ?? ''
    const inPx = viewportToPx(css, element.canvas)
    if (styled.style && inPx !== css) styled.style.cssText = inPx
  }
  if (element.kind === 'html' && !element.resize) {
    if (element.width !== undefined) root.style?.setProperty('width', `${element.width}px`)
    if (element.height !== undefined) root.style?.setProperty('height', `${element.height}px`)
  }
  return warnings
}

/** Returns why a property of the element itself paints nothing here; undefined when it does. */
export function styleEffect(
  name: string,
  value: string,
  { width, height, resize, css }: Pick<MountElement, 'width' | 'height' | 'resize' | 'css'>,
): string | undefined {
  const sized = { width, height }[name] !== undefined && resize === undefined
  if (sized) return `the visual's own ${name} decides`
  if (name === 'position' && /^(relative|static)$/.test(value)) return undefined
  if (/^(position|top|right|bottom|left|inset(-.*)?)$/.test(name)) {
    return 'x, y and position place the element'
  }
  if (/^(float|clear|order|(align|justify|place)-self|flex(-grow|-shrink|-basis)?)$/.test(name)) {
    return 'the element stands alone'
  }
  if (/^grid-(area|(row|column)(-start|-end)?)$/.test(name)) return 'the element stands alone'
  if (name === 'z-index') return 'track says what lies above'
  if (css === undefined && /^(animation|transition)(-.*)?$/.test(name)) {
    return 'the element is painted as a still; enterAnimation and exitAnimation move it'
  }
  const isNeutral = /^(none|normal|initial|unset)$/.test(value)
  if (/^(mix-blend-mode|(-webkit-)?backdrop-filter)$/.test(name) && !isNeutral) {
    return 'the element is painted before what lies below is known'
  }
  return undefined
}

/**
 * Sets `auto` margins to 0, as the farm places the element and no free space is left to share.
 * Returns whether there were any.
 */
export function dropAutoMargins(root: PageElement): boolean {
  const sides = ['left', 'top', 'right', 'bottom']
  const logical = ['inline-start', 'inline-end', 'block-start', 'block-end']
  const auto = [...sides, ...logical]
    .map((side) => `margin-${side}`)
    .filter((name) => root.style?.getPropertyValue(name) === 'auto')
  for (const name of auto) root.style?.setProperty(name, '0px')
  return auto.length > 0
}

/** Converts viewport units to px of the canvas, as the page is as large as all cells together. */
export function viewportToPx(css: string, canvas: MountElement['canvas']): string {
  const { width, height } = canvas
  const edges: Record<string, number> = { w: width, i: width, h: height, b: height }
  edges.min = Math.min(width, height)
  edges.max = Math.max(width, height)
  // Strings and url() stay as they are: base64 holds "5vh" by chance.
  return css.replace(
    /"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|url\([^)]*\)?|(-?[\d.]+)[dsl]?v(w|h|i|b|min|max)\b/gi,
    (whole: string, number: string | undefined, axis = '') => {
      if (number === undefined) return whole
      return `${(Number(number) * (edges[axis.toLowerCase()] ?? 0)) / 100}px`
    },
  )
}
