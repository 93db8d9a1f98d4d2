/** Text as the database holds it: neither NUL nor lone surrogates. A pattern can say the first. */

export const textPattern = '^[^\\u0000]*$'

/** What is wrong with a text, whatever field it stands in; undefined = nothing. */
export function textFault(text: string): string | undefined {
  const nul = text.indexOf('\0')
  if (nul === -1 && text.isWellFormed()) return undefined
  const seen = nul === -1 ? 'a lone surrogate' : `NUL at position ${nul}`
  return `Text must be well-formed Unicode without NUL. Got ${seen}.`
}
