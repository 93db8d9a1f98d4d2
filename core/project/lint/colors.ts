/** CSS colours, as far as a lint needs them: an unreadable colour is undefined, never guessed. */

/** Channels 0..255, `a` 0..1, not premultiplied. */
export type Color = {
  readonly r: number
  readonly g: number
  readonly b: number
  readonly a: number
}

/** Common colour names; the other hundred are too rare to be worth their lines. */
const named: Readonly<Record<string, string>> = {
  transparent: '#00000000',
  black: '#000000',
  white: '#ffffff',
  gray: '#808080',
  grey: '#808080',
  silver: '#c0c0c0',
  lightgray: '#d3d3d3',
  lightgrey: '#d3d3d3',
  darkgray: '#a9a9a9',
  darkgrey: '#a9a9a9',
  red: '#ff0000',
  green: '#008000',
  blue: '#0000ff',
  yellow: '#ffff00',
  orange: '#ffa500',
  purple: '#800080',
  pink: '#ffc0cb',
  gold: '#ffd700',
  navy: '#000080',
  teal: '#008080',
  cyan: '#00ffff',
  aqua: '#00ffff',
  magenta: '#ff00ff',
  lime: '#00ff00',
}

export function readColor(text: string): Color | undefined {
  const value = text.trim().toLowerCase()
  const hex = /^#([0-9a-f]{3,8})$/.exec(named[value] ?? value)?.[1]
  if (hex !== undefined) return ofHex(hex)
  const call = /^(rgba?|hsla?)\(([^()]*)\)$/.exec(value)
  if (!call) return undefined
  const parts = (call[2] ?? '').split(/[\s,/]+/).filter((part) => part !== '')
  if (parts.length < 3 || parts.length > 4) return undefined
  const a = parts[3] === undefined ? 1 : share(parts[3], 1)
  const color = call[1]?.startsWith('rgb')
    ? { r: share(parts[0], 255), g: share(parts[1], 255), b: share(parts[2], 255), a }
    : ofHsl(Number.parseFloat(parts[0] ?? ''), share(parts[1], 1), share(parts[2], 1), a)
  return Object.values(color).every(Number.isFinite) ? color : undefined
}

/** Reads a number, or a percentage of `whole`. */
function share(text = '', whole: number): number {
  const number = Number.parseFloat(text)
  return text.endsWith('%') ? (number / 100) * whole : number
}

function ofHex(digits: string): Color | undefined {
  const long = digits.length <= 4 ? [...digits].map((digit) => digit + digit).join('') : digits
  if (long.length !== 6 && long.length !== 8) return undefined
  const channel = (at: number) => Number.parseInt(long.slice(at, at + 2), 16)
  return { r: channel(0), g: channel(2), b: channel(4), a: long[6] ? channel(6) / 255 : 1 }
}

/** https://www.w3.org/TR/css-color-4/#hsl-to-rgb */
function ofHsl(hue: number, saturation: number, lightness: number, a: number): Color {
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12
    const chroma = saturation * Math.min(lightness, 1 - lightness)
    return 255 * (lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1)))
  }
  return { r: channel(0), g: channel(8), b: channel(4), a }
}

/** Blends `top` over an opaque colour. */
export function over(top: Color, below: Color): Color {
  const mix = (upper: number, lower: number) => upper * top.a + lower * (1 - top.a)
  return { r: mix(top.r, below.r), g: mix(top.g, below.g), b: mix(top.b, below.b), a: 1 }
}

/** 1..21, https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrast(one: Color, other: Color): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance({ r, g, b }: Color): number {
  const [red = 0, green = 0, blue = 0] = [r, g, b].map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Writes a colour as `#rrggbb` for a message. */
export function hexOf({ r, g, b }: Color): string {
  return `#${[r, g, b].map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`
}
