export type Variable = { readonly name: string; readonly value: unknown; readonly isText: boolean }

/** Returns the variables that a project declares, with their defaults. */
export function variablesOf(project: unknown): readonly Variable[] {
  if (typeof project !== 'object' || project === null || !('variables' in project)) return []
  return Object.entries(project.variables ?? {}).map(([name, value]) => ({
    name,
    value,
    isText: typeof value === 'string',
  }))
}

/** Reads a form: texts as they are, all else as JSON; what cannot be read stays text, for the farm to judge. */
export function readVariables(
  variables: readonly Variable[],
  given: FormData,
): Record<string, unknown> {
  return Object.fromEntries(
    variables.map(({ name, isText }) => {
      const text = String(given.get(name) ?? '')
      return [name, isText ? text : jsonOr(text)]
    }),
  )
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
