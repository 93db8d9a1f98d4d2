import { paintedFamily } from '../../looks/families.ts'
import { type Color, readColor } from './colors.ts'
import { type Declarations, lengthOf, type Measures } from './styles.ts'

/** Properties that a markup element passes down to its texts. */
export type Look = {
  readonly canvas: Measures['canvas']
  /** px */
  readonly fontSize: number
  readonly lineHeight: number
  readonly letterSpacing: number
  readonly weight: number
  /** Value of `font-family` in force. */
  readonly families: string
  /** Bundled family that paints most of a text. */
  readonly family: string
  readonly align: string
  readonly upper: boolean
  readonly wraps: boolean
  /** undefined = not readable, such as a gradient clipped to the letters. */
  readonly color: Color | undefined
  /** Combined opacity of all elements around it. */
  readonly opacity: number
  /** Fills below it inside the element, bottom first; undefined = not a flat colour. */
  readonly fills: readonly (Color | undefined)[]
  /** True where the flow positions it: false under a transform or an absolute position. */
  readonly inFlow: boolean
  /** A shadow or an outline sets the letters off from the ground. */
  readonly lifted: boolean
}

/** Returns the look of the bake's style sheet (worker/bake/page/page.ts). */
export function defaultLook(canvas: Measures['canvas']): Look {
  return {
    canvas,
    fontSize: 42,
    lineHeight: Number.NaN,
    letterSpacing: 0,
    weight: 400,
    families: 'Poppins',
    family: 'Poppins',
    align: 'left',
    upper: false,
    wraps: true,
    color: { r: 0, g: 0, b: 0, a: 1 },
    opacity: 1,
    fills: [],
    inFlow: true,
    lifted: false,
  }
}

const heavyTags = new Set(['b', 'strong'])
/** Normal line height of fonts; Poppins has 1.5, most have less. */
const normalLineHeight = 1.25

export function lookOf(tag: string, own: Declarations, parent: Look): Look {
  const { canvas } = parent
  const sizes = { fontSize: parent.fontSize, whole: parent.fontSize, canvas }
  const fontSize = lengthOf(own.get('font-size'), sizes) ?? parent.fontSize
  const opacity = parent.opacity * opacityOf(own)
  const fill = fillOf(own, opacity)
  const space = own.get('white-space')
  const families = own.get('font-family')
  return {
    canvas,
    fontSize,
    lineHeight: lineHeightOf(own, fontSize, parent),
    letterSpacing:
      lengthOf(own.get('letter-spacing'), { fontSize, canvas }) ?? parent.letterSpacing,
    weight: weightOf(own.get('font-weight')) ?? (heavyTags.has(tag) ? 700 : parent.weight),
    families: families ?? parent.families,
    family: families === undefined ? parent.family : paintedFamily(families),
    align: own.get('text-align') ?? parent.align,
    upper: (own.get('text-transform') ?? (parent.upper ? 'uppercase' : '')) === 'uppercase',
    wraps: space === undefined ? parent.wraps : !/^(nowrap|pre)$/.test(space),
    color: colorOf(own, parent.color),
    opacity,
    fills: fill === 'none' ? parent.fills : [...parent.fills, fill],
    inFlow: parent.inFlow && !leavesFlow(own),
    lifted: parent.lifted || liftings.some((name) => (own.get(name) ?? 'none') !== 'none'),
  }
}

const liftings = [
  'text-shadow',
  '-webkit-text-stroke',
  'mix-blend-mode',
  'filter',
  'background-clip',
  '-webkit-background-clip',
  '-webkit-text-stroke-width',
  'backdrop-filter',
  'mask-image',
  '-webkit-mask-image',
]

function lineHeightOf(own: Declarations, fontSize: number, parent: Look): number {
  const value = own.get('line-height')
  if (value === undefined) {
    // A plain number is inherited as a ratio; a length stays the same.
    const ratio = parent.lineHeight / parent.fontSize
    return (Number.isFinite(ratio) ? ratio : normalLineHeight) * fontSize
  }
  // A plain number is a length in em.
  const ofSize = /^[\d.]+$/.test(value) ? `${value}em` : value
  const { canvas } = parent
  return lengthOf(ofSize, { fontSize, whole: fontSize, canvas }) ?? normalLineHeight * fontSize
}

function weightOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const named = { normal: 400, bold: 700, bolder: 700, lighter: 300 }[value]
  return named ?? (Number.isFinite(Number(value)) ? Number(value) : undefined)
}

function colorOf(own: Declarations, inherited: Color | undefined): Color | undefined {
  const value = own.get('color')
  const isInherited = value === undefined || /^(inherit|currentcolor)$/i.test(value)
  return isInherited ? inherited : readColor(value)
}

function opacityOf(own: Declarations): number {
  const value = own.get('opacity') ?? '1'
  const opacity = Number.parseFloat(value) / (value.endsWith('%') ? 100 : 1)
  return Number.isFinite(opacity) ? Math.min(1, Math.max(0, opacity)) : 1
}

/** Returns an element's own fill; undefined = a picture, or unreadable. */
function fillOf(own: Declarations, opacity: number): Color | undefined | 'none' {
  const picture = own.get('background-image')
  if (picture !== undefined && !isClear(picture)) return undefined
  // An inset shadow paints over the fill.
  if (/\binset\b/.test(own.get('box-shadow') ?? '')) return undefined
  const fill = own.get('background-color') ?? own.get('background')
  if (fill === undefined || isClear(fill)) return 'none'
  const color = readColor(fill)
  return color && { ...color, a: color.a * opacity }
}

function isClear(fill: string): boolean {
  return /^(none|transparent|unset|initial|inherit)$/i.test(fill.trim())
}

export function leavesFlow(own: Declarations): boolean {
  if (/^(absolute|fixed|sticky)$/.test(own.get('position') ?? '')) return true
  if ((own.get('float') ?? 'none') !== 'none') return true
  const moved = ['transform', 'translate', 'rotate', 'scale', 'writing-mode', 'top', 'left']
  return moved.some((name) => (own.get(name) ?? 'none') !== 'none')
}
