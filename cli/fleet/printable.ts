import { stripVTControlCharacters } from 'node:util'

/**
 * Returns a text of a node as a terminal may show it: without escape sequences and control characters, but with
 * newlines and tabs.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '')
}
