import { isTooDeep } from './nesting.ts'

/** The variables of a project as a form: the kind of each field follows the project's own value. */

export type FormField = {
  readonly name: string
  readonly kind: 'line' | 'lines' | 'number' | 'flag' | 'color' | 'json'
  /** The project's own value. */
  readonly value: unknown
}

export type Values = Readonly<Record<string, unknown>>

export function fieldsOf(project: unknown): readonly FormField[] {
  if (!isRecord(project) || !isRecord(project.variables)) return []
  return Object.entries(project.variables).map(([name, value]) => ({
    ...{ name, kind: kindOf(value), value },
  }))
}

function kindOf(value: unknown): FormField['kind'] {
  if (typeof value === 'boolean') return 'flag'
  if (typeof value === 'number') return 'number'
  if (typeof value !== 'string') return 'json'
  // A color picker knows the long form only.
  if (/^#[0-9a-f]{6}$/i.test(value)) return 'color'
  return value.length > longestLine || value.includes('\n') ? 'lines' : 'line'
}

const longestLine = 60

/** Shows a value as the text of its field. */
export function textOf({ kind }: FormField, value: unknown): string {
  return kind === 'json' || typeof value !== 'string' ? JSON.stringify(value) : value
}

/** Reads a field's text; what is no number or no JSON stays text, for the judge to refuse. */
export function readText({ kind }: FormField, text: string): unknown {
  if (kind === 'number') {
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  }
  if (kind !== 'json' || isTooDeep(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Sets a value; one that equals the project's own is left out of the request. */
export function withValue(values: Values, { name, value: own }: FormField, value: unknown): Values {
  const { [name]: _, ...others } = values
  return JSON.stringify(value) === JSON.stringify(own) ? others : { ...others, [name]: value }
}

/** Writes values into the project's own variables. A text without new values stays as it is. */
export function withVariables(text: string, values: Values): string {
  const project = projectIn(text)
  if (!isRecord(project) || Object.keys(values).length === 0) return text
  const own = isRecord(project.variables) ? project.variables : {}
  return JSON.stringify({ ...project, variables: { ...own, ...values } }, null, 2)
}

/** Reads the project of a text; undefined while it is not JSON, or nested too deep. */
export function projectIn(text: string): unknown {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
