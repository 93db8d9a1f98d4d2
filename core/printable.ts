/**
 * Escape sequences of terminals (ECMA-48), their C1 forms included: colours and cursor, then titles and links, which
 * end by a terminator, then those of two characters.
 */
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is searched.
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g

/**
 * Returns a text of a node as a page or a terminal may show it: without escape sequences and control characters, but
 * with newlines and tabs.
 */
export function printable(text: string): string {
  return text.replace(sequences, '').replace(/[^\P{Cc}\n\t]/gu, '')
}
