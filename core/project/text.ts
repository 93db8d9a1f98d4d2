/** Text that the database can hold: neither NUL nor lone surrogates. A pattern can only exclude NUL. */

export const textPattern = '^[^\\u0000]*$'

/** Returns the fault of a text in any field; undefined = none. */
export function textFault(text: string): string | undefined {
  const nul = text.indexOf('\0')
  if (nul === -1 && text.isWellFormed()) return undefined
  const seen = nul === -1 ? 'a lone surrogate' : `NUL at position ${nul}`
  return `Text must be well-formed Unicode without NUL. Got ${seen}.`
}
