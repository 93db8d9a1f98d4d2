/** Embeddings, overrides and isolates, by which a name could reorder the words around it. */
const names: Readonly<Record<string, string>> = {
  ...{ '\u202a': 'LRE', '\u202b': 'RLE', '\u202c': 'PDF', '\u202d': 'LRO', '\u202e': 'RLO' },
  ...{ '\u2066': 'LRI', '\u2067': 'RLI', '\u2068': 'FSI', '\u2069': 'PDI' },
}
const marks = /[\u202a-\u202e\u2066-\u2069]/g

/** Returns a text whose marks of direction are seen, as `‹RLO›`, and reorder nothing. */
export const withSeenMarks = (text: string): string =>
  text.replace(marks, (mark) => `‹${names[mark]}›`)
