import type { PictureAttributes } from './attributes.ts'
import { htmlRules } from './rules.ts'
import { sanitise } from './sanitise.ts'

/**
 * Returns the faults of a TEXT visual's `html`, as texts for the customer (empty = none), and the
 * distinct URLs of its pictures, in order. The media URL rule is checked elsewhere.
 */
export function readHtml(html: string): {
  readonly faults: readonly string[]
  readonly pictures: readonly string[]
} {
  const { faults, pictures } = sanitise(html, htmlRules)
  return { faults, pictures }
}

/** Returns the faults of `html`. With `pictureOf`, a picture by URL that it does not know is one. */
export function htmlFaults(html: string, pictureOf?: PictureAttributes): string[] {
  return [...sanitise(html, htmlRules, pictureOf).faults]
}

/**
 * Returns `html` without anything that is not allowed, safe for a browser. `pictureOf` replaces the
 * `src` of a picture by other attributes.
 */
export function cleanHtml(html: string, pictureOf?: PictureAttributes): string {
  return sanitise(html, htmlRules, pictureOf).clean
}
