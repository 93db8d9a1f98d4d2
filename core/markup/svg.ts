import { shorten } from './css.ts'
import { svgRules } from './rules.ts'
import { sanitise } from './sanitise.ts'

/** Returns the faults of an SVG visual's `svg`, as texts for the customer; empty = none. */
export function svgFaults(svg: string): string[] {
  if (!startsAsSvg(svg)) return [`svg must start with <svg. Got ${shorten(svg.slice(0, 100))}`]
  return [...sanitise(svg, svgRules).faults]
}

/** Returns `svg` without anything that is not allowed; '' when it is no SVG. */
export function cleanSvg(svg: string): string {
  return startsAsSvg(svg) ? sanitise(svg, svgRules).clean : ''
}

function startsAsSvg(svg: string): boolean {
  return /^<svg[\s/>]/i.test(svg)
}
