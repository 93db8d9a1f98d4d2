import { shorten } from './css.ts'

/**
 * Largest numbers allowed in the primitives of an SVG filter: larger ones look the same, and take
 * seconds. Names are in lower case, as the scanner reads them.
 */
const largest: Readonly<Record<string, { name: string; attribute: string; most: number }>> = {
  feturbulence: { name: 'feTurbulence', attribute: 'numOctaves', most: 10 },
  fegaussianblur: { name: 'feGaussianBlur', attribute: 'stdDeviation', most: 1_000 },
  fedropshadow: { name: 'feDropShadow', attribute: 'stdDeviation', most: 1_000 },
  femorphology: { name: 'feMorphology', attribute: 'radius', most: 250 },
  feconvolvematrix: { name: 'feConvolveMatrix', attribute: 'order', most: 9 },
}

/** Returns the rule that an attribute of a filter primitive breaks, or undefined. */
export function filterFault(tag: string, attribute: string, value: string): string | undefined {
  const rule = largest[tag]
  if (!rule || rule.attribute.toLowerCase() !== attribute) return undefined
  const numbers = value
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  if (!numbers.some((number) => number > rule.most)) return undefined
  return `${rule.attribute} of <${rule.name}> is at most ${rule.most}. Got ${shorten(value)}`
}
