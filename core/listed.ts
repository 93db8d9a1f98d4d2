/** Joins names as a sentence lists them: `A, B or C`. */
export function listed(names: readonly string[], word: 'and' | 'or'): string {
  const last = names.at(-1) ?? ''
  const others = names.slice(0, -1)
  return others.length > 0 ? `${others.join(', ')} ${word} ${last}` : last
}
