/**
 * Rules of the page that TEXT and SVG elements are laid out in, shared by workers and previews in
 * the browser.
 */

/** No doctype: quirks mode, like the original service's pages. */
export const doctype = ''

/** Weakest rule of the cascade: tags bring no margins or paddings of their own. */
const resetSheet = '* { margin: 0; padding: 0; box-sizing: content-box }'

/** Defaults of a TEXT whose style says nothing else. */
export const textDefaults = { fontFamily: 'Poppins', fontSizePx: 42, color: '#000' } as const

/**
 * Style of every element. A warning tells what conflicts with the farm's layout
 * (worker/bake/page/style.ts).
 */
export const elementSheet = `
${resetSheet}
.root {
  display: block; box-sizing: content-box; width: fit-content;
  font-family: ${textDefaults.fontFamily}; font-size: ${textDefaults.fontSizePx}px;
  color: ${textDefaults.color}; text-size-adjust: none;
}
.root {
  position: relative !important; inset: auto !important;
  align-self: flex-start !important; justify-self: flex-start !important;
  flex: none !important; float: none !important;
}
`

/**
 * Lengths that quirks mode accepts without a unit
 * (https://quirks.spec.whatwg.org/#the-unitless-length-quirk).
 */
const quirkyLengths: ReadonlySet<string> = new Set([
  'border-bottom-width',
  'border-left-width',
  'border-right-width',
  'border-spacing',
  'border-top-width',
  'border-width',
  'bottom',
  'font-size',
  'height',
  'left',
  'letter-spacing',
  'margin',
  'margin-bottom',
  'margin-left',
  'margin-right',
  'margin-top',
  'max-height',
  'max-width',
  'min-height',
  'min-width',
  'padding',
  'padding-bottom',
  'padding-left',
  'padding-right',
  'padding-top',
  'right',
  'text-indent',
  'top',
  'vertical-align',
  'width',
  'word-spacing',
])

/** Reads a property's value as quirks mode does: "40" is 40px where a bare number can be a length. */
export function quirkyValue<Value extends string | number>(
  name: string,
  value: Value,
): Value | string {
  const isBare = typeof value === 'string' && /^\s*[+-]?(\d+\.?\d*|\.\d+)\s*$/.test(value)
  return isBare && quirkyLengths.has(name) ? `${value.trim()}px` : value
}
