import { isRecord } from '../check.ts'
import { nearestName } from '../nearest.ts'
import {
  isReferred,
  type References,
  referencesOf,
  rootOf,
  tablesOf,
  type Variables,
} from '../references.ts'
import { childOf } from '../report.ts'
import { quoted, type Warning } from './warning.ts'

/** Most variables that are named; the others are counted. */
const maxNamed = 20
/** Most object parts that are compared with the missing ones. */
const maxParts = 100

/**
 * Warns of a request's variables that nothing in the project reads. A project's own defaults are
 * not checked: an unread one changes nothing, and a misspelt placeholder is an error.
 */
export function unusedVariables(request: Variables): Warning[] {
  const { variables = {} } = request
  const references = referencesOf(request)
  const unused = Object.keys(variables).filter((name) => !isReferred(references, name))
  const warnings = unused.slice(0, maxNamed).map((name) => ({
    field: childOf('variables', name),
    code: 'unused_variable' as const,
    message: unusedMessage(name, references, request),
  }))
  const more = unused.length - warnings.length
  if (more > 0) {
    const message = `The project does not use ${more} more variables.`
    warnings.push({ field: 'variables', code: 'unused_variable', message })
  }
  return [...warnings, ...misspeltParts(variables, references)]
}

/** Sentence for a variable, or a column of a table, that nothing reads. */
export function unusedMessage(path: string, references: References, request: Variables): string {
  const { variables = {}, payload } = request
  const own = isRecord(payload.variables) ? Object.keys(payload.variables) : []
  const known = [...references.roots, ...(path.includes('.') ? references.paths : []), ...own]
  const free = new Set(known.filter((each) => each !== path && !Object.hasOwn(variables, each)))
  const meant = nearestName(path, free)
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return `The project does not use the variable ${quoted(path)}.${hint}`
}

/** Warns of an unread object part, while a part of nearly the same name is missing. */
function misspeltParts(
  variables: Readonly<Record<string, unknown>>,
  { paths }: References,
): Warning[] {
  const warnings: Warning[] = []
  let compared = 0
  const look = (value: unknown, path: string) => {
    if (!isRecord(value) || paths.has(path)) return
    const below = [...paths].filter((each) => each.startsWith(`${path}.`))
    const parts = new Set(below.map((each) => rootOf(each.slice(path.length + 1))))
    const missing = [...parts].filter((part) => !Object.hasOwn(value, part))
    for (const [key, inner] of Object.entries(value).slice(0, maxParts)) {
      if (parts.has(key)) look(inner, `${path}.${key}`)
      else if (missing.length > 0 && compared < maxParts) {
        compared += 1
        const meant = nearestName(key, missing.slice(0, maxParts))
        if (meant === undefined) continue
        const at = `${path}.${key}`
        const message = `The project does not use ${quoted(at)}. Did you mean "${path}.${meant}"?`
        warnings.push({ field: childOf('variables', at), code: 'unused_variable', message })
      }
    }
  }
  for (const [name, value] of Object.entries(variables)) look(value, name)
  return warnings
}

/** Names of all variables that are defined anywhere in a request. */
export function definedNames(request: Variables): Set<string> {
  return new Set(tablesOf(request).flatMap((table) => Object.keys(table)))
}
