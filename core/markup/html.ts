import { htmlRules } from './rules.ts'
import { sanitise } from './sanitise.ts'

/** Returns the faults of a TEXT visual's `html`, as texts for the customer; empty = none. */
export function htmlFaults(html: string): string[] {
  return [...sanitise(html, htmlRules).faults]
}

/** Returns `html` without anything that is not allowed, safe for a browser. */
export function cleanHtml(html: string): string {
  return sanitise(html, htmlRules).clean
}
