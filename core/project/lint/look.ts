import { paintedFamily } from '../../looks/families.ts'
import { type Color, readColor } from './colors.ts'
import { type Declarations, lengthOf, type Measures } from './styles.ts'

/** What an element of markup hands down to the texts in it. */
export type Look = {
  readonly canvas: Measures['canvas']
  /** px */
  readonly fontSize: number
  readonly lineHeight: number
  readonly letterSpacing: number
  readonly weight: number
  /** The value of `font-family` in force. */
  readonly families: string
  /** The bundled one that most of a text is painted in. */
  readonly family: string
  readonly align: string
  readonly upper: boolean
  readonly wraps: boolean
  /** undefined = not readable, such as a gradient clipped to the letters. */
  readonly color: Color | undefined
  /** The fills it lies on inside the element, bottom first; undefined = not a flat colour. */
  readonly fills: readonly (Color | undefined)[]
  /** Whether it lies where the flow puts it: false under a transform or an absolute position. */
  readonly inFlow: boolean
  /** Whether something lifts the letters off their ground: a shadow or an outline. */
  readonly lifted: boolean
}

/** As the sheet of the baker has it (worker/bake/page/page.ts). */
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
    fills: [],
    inFlow: true,
    lifted: false,
  }
}

const heavyTags = new Set(['b', 'strong'])
/** Of fonts that say nothing else; Poppins has 1.5, most have less. */
const normalLineHeight = 1.25

export function lookOf(tag: string, own: Declarations, parent: Look): Look {
  const { canvas } = parent
  const sizes = { fontSize: parent.fontSize, whole: parent.fontSize, canvas }
  const fontSize = lengthOf(own.get('font-size'), sizes) ?? parent.fontSize
  const fill = own.get('background-color') ?? own.get('background')
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
    fills: fill === undefined || isClear(fill) ? parent.fills : [...parent.fills, readColor(fill)],
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
]

function lineHeightOf(own: Declarations, fontSize: number, parent: Look): number {
  const value = own.get('line-height')
  if (value === undefined) {
    // A plain number is handed down as one; a length stays what it was.
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

/** Opacity is put on the colour: what it does to a fill beside it is small. */
function colorOf(own: Declarations, inherited: Color | undefined): Color | undefined {
  const value = own.get('color')
  const color =
    value === undefined || /^(inherit|currentcolor)$/i.test(value) ? inherited : readColor(value)
  const opacity = Number(own.get('opacity') ?? 1)
  return color && { ...color, a: color.a * (Number.isFinite(opacity) ? opacity : 1) }
}

function isClear(fill: string): boolean {
  return /^(none|transparent|unset|initial|inherit)$/i.test(fill.trim())
}

function leavesFlow(own: Declarations): boolean {
  if (/^(absolute|fixed|sticky)$/.test(own.get('position') ?? '')) return true
  if ((own.get('float') ?? 'none') !== 'none') return true
  const moved = ['transform', 'translate', 'rotate', 'scale', 'writing-mode', 'top', 'left']
  return moved.some((name) => (own.get(name) ?? 'none') !== 'none')
}
