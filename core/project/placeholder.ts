/** Grammar of `{{ name.path.0 }}`, and its positions in a text. */

const name = '[A-Za-z][A-Za-z0-9_]*'
const path = `${name}(?:\\.(?:${name}|[0-9]+))*`

/** Matches any text that contains a placeholder. Linear: no two parts can match the same characters. */
export const placeholderPattern = `\\{\\{\\s*${path}\\s*\\}\\}`

/** Rule in errors about braces that hold no name. */
export const placeholderRule =
  'A placeholder is {{ name }} or {{ name.part.0 }}, of letters a to z, digits and "_".'

/** Type of a text that contains a placeholder. */
export type Placeholder = `${string}{{${string}}}${string}`

const anywhere = new RegExp(placeholderPattern, 'u')
const whole = new RegExp(`^\\{\\{\\s*(${path})\\s*\\}\\}$`, 'u')
const pathShape = new RegExp(`^${path}$`, 'u')

export function hasPlaceholder(text: string): boolean {
  return text.includes('{{') && anywhere.test(text)
}

/** Returns the path of a text that is exactly one placeholder; it keeps its value's type. */
export function wholePlaceholder(text: string): string | undefined {
  return text.startsWith('{{') ? whole.exec(text)?.[1] : undefined
}

export function isVariablePath(text: string): boolean {
  return pathShape.test(text)
}

/** Splits a text in order: `text` is literal, `path` is to be filled in. */
export function splitPlaceholders(text: string): ({ text: string } | { path: string })[] {
  const parts: ({ text: string } | { path: string })[] = []
  const each = new RegExp(`\\{\\{\\s*(${path})\\s*\\}\\}`, 'gu')
  let from = 0
  for (const found of text.matchAll(each)) {
    if (found.index > from) parts.push({ text: text.slice(from, found.index) })
    parts.push({ path: found[1] ?? '' })
    from = found.index + found[0].length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}
