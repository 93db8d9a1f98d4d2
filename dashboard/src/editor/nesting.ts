/** Levels of a text that the pages read. The farm takes 64; parsers exhaust their stack at some thousands. */
const mostLevels = 200

export const nestingRule = `The text must be nested at most ${mostLevels} levels deep.`

/** True for a text whose brackets, outside of strings, are nested too deep to be read safely. */
export function isTooDeep(text: string): boolean {
  let depth = 0
  // A string ends with its line at the latest, as JSON has it.
  for (const [part] of text.matchAll(/"(?:[^"\\\n]|\\.)*"?|[[\]{}]/g)) {
    if (part === '[' || part === '{') depth += 1
    else if (part === ']' || part === '}') depth = Math.max(0, depth - 1)
    if (depth > mostLevels) return true
  }
  return false
}
