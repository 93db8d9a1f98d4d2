import { quirkyValue } from '../../looks/text-page.ts'
import { cssName } from '../../markup/css.ts'

/**
 * CSS declarations that decide the layout and look of words, read without a browser: in the order
 * written, shorthands expanded, lengths in px.
 */

export type Declarations = ReadonlyMap<string, string>

/** Reads the declarations of a `style` attribute; an `!important` one wins over later ones. */
export function readDeclarations(source: string): Declarations {
  const found = new Map<string, string>()
  const declarations = source.split(';')
  const important = declarations.filter((each) => importance.test(each))
  const others = declarations.filter((each) => !importance.test(each))
  for (const declaration of [...others, ...important]) {
    const at = declaration.indexOf(':')
    if (at > 0)
      declare(found, declaration.slice(0, at).trim().toLowerCase(), declaration.slice(at + 1))
  }
  return found
}

const importance = /!\s*important\s*$/i

/** Reads a visual's `style` object, where a bare number is a length. */
export function declarationsOf(style: Readonly<Record<string, string | number>>): Declarations {
  const found = new Map<string, string>()
  for (const [property, value] of Object.entries(style)) {
    const name = cssName(property)
    const bare = typeof value === 'number' && !unitless.has(name)
    declare(found, name, bare ? `${value}px` : String(value))
  }
  return found
}

const unitless = new Set(['line-height', 'font-weight', 'opacity', 'flex', 'flex-grow', 'z-index'])

function declare(into: Map<string, string>, name: string, raw: string): void {
  const value = quirkyValue(name, raw.replace(importance, '').trim())
  into.set(name, value)
  if (name === 'padding' || name === 'margin') {
    const [top = '0', right = top, bottom = top, left = right] = value.split(/\s+/)
    const sides = { top, right, bottom, left }
    for (const [side, length] of Object.entries(sides)) into.set(`${name}-${side}`, length)
  }
  if (name === 'background') into.set('background-color', value)
  if (name === '-webkit-text-fill-color') into.set('color', value)
  if (name === 'border') {
    into.set('border-width', /(?:^|\s)([\d.]+px)/.exec(value)?.[1] ?? '0')
  }
  if (name === 'font') declareFont(into, value)
}

/** Expands `font: italic 700 32px/1.2 Inter`. */
function declareFont(into: Map<string, string>, value: string): void {
  const parts = /(?:^|\s)([\d.]+(?:px|em|rem|pt|%))(?:\s*\/\s*([\d.]+[a-z%]*))?\s+(.+)$/i.exec(
    value,
  )
  if (!parts) return
  into.set('font-size', parts[1] ?? '')
  into.set('line-height', parts[2] ?? 'normal')
  into.set('font-family', parts[3] ?? '')
}

/** Bases of relative lengths, px. `whole`: the base of a percentage. */
export type Measures = {
  readonly fontSize: number
  readonly whole?: number
  readonly canvas: { readonly width: number; readonly height: number }
}

/** Longest length, px, beyond any canvas; numbers of a hundred digits are infinite. */
const longest = 100_000

/** Returns a length in px; undefined for `auto`, `calc()` and anything but a plain length. */
export function lengthOf(value: string | undefined, measures: Measures): number | undefined {
  const length = readLength(value, measures)
  return length && Math.max(-longest, Math.min(longest, length))
}

function readLength(value: string | undefined, measures: Measures): number | undefined {
  const parts = /^([+-]?(?:\d+\.?\d*|\.\d+))([a-z%]*)$/i.exec(value ?? '')
  if (!parts) return undefined
  const number = Number(parts[1])
  const { fontSize, whole, canvas } = measures
  switch ((parts[2] ?? '').toLowerCase()) {
    case 'px':
      return number
    case '':
      return number === 0 ? 0 : undefined
    case 'em':
      return number * fontSize
    case 'rem':
      return number * 16
    case 'pt':
      return (number * 4) / 3
    case '%':
      return whole === undefined ? undefined : (number / 100) * whole
    case 'vw':
      return (number / 100) * canvas.width
    case 'vh':
      return (number / 100) * canvas.height
    case 'vmin':
      return (number / 100) * Math.min(canvas.width, canvas.height)
    case 'vmax':
      return (number / 100) * Math.max(canvas.width, canvas.height)
    default:
      return undefined
  }
}
