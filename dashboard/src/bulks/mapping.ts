import type { Item } from '../../../core/bulks/batches.ts'
import type { Row } from '../../../core/bulks/table.ts'
import { nearestName } from '../../../core/project/nearest.ts'
import { referencesOf, rootOf, tablesOf } from '../../../core/project/references.ts'

type Project = Readonly<Record<string, unknown>>

/** Column of a file: its own name, and the variable that its cells fill; '' fills nothing. */
export type Column = { readonly name: string; readonly variable: string }

/** The column that names the files of the films, and need not be a variable. */
const nameColumn = 'name'

/** Returns the variables that a column can fill: those read, those declared, and the films' names. */
export function fillable(payload: Project): readonly string[] {
  const { paths } = referencesOf({ payload })
  const declared = tablesOf({ payload }).flatMap((table) => Object.keys(table))
  const partly = new Set([...paths].filter((path) => path.includes('.')).map(rootOf))
  const whole = declared.filter((name) => !partly.has(name))
  return [...new Set([nameColumn, ...paths, ...whole])].sort()
}

/** Suggests a variable for each column, by its name; no variable is suggested twice. */
export function suggestColumns(
  names: readonly string[],
  variables: readonly string[],
): readonly Column[] {
  const left = new Set(variables)
  const exact = new Map<string, string>()
  for (const name of names) {
    if (left.delete(name)) exact.set(name, name)
  }
  return names.map((name) => {
    const variable = exact.get(name) ?? nearestName(name, left) ?? ''
    left.delete(variable)
    return { name, variable }
  })
}

/** Returns the lines with the columns' variables as names; columns that fill nothing are left out. */
export function mapLines(
  lines: readonly (readonly string[])[],
  columns: readonly Column[],
): string[][] {
  const [, ...rows] = lines
  const kept = columns.flatMap(({ variable }, at) => (variable ? [at] : []))
  const pick = (cells: readonly string[]) =>
    // A line that is not as long as the first is a fault, which picking would hide.
    cells.length === columns.length ? kept.map((at) => cells[at] ?? '') : [...cells]
  return [kept.map((at) => columns[at]?.variable ?? ''), ...rows.map(pick)]
}

/** Returns the item that a row becomes. */
export function itemOf({ variables, name }: Row): Item {
  return name === undefined ? { variables } : { variables, name }
}
