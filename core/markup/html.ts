import { htmlRules } from './rules.ts'
import { sanitise } from './sanitise.ts'

/** What a TEXT visual's `html` breaks of the rules, as texts for the customer; empty = nothing. */
export function htmlFaults(html: string): string[] {
  return [...sanitise(html, htmlRules).faults]
}

/** `html` with everything left out that is not allowed; what a browser may be given. */
export function cleanHtml(html: string): string {
  return sanitise(html, htmlRules).clean
}
