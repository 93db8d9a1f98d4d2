import type { Table } from '../../core/bulks/table.ts'
import { unusedMessage } from '../../core/project/lint/unused-variables.ts'
import {
  isReferred,
  type References,
  referencesOf,
  type Variables,
} from '../../core/project/references.ts'
import type { FaultLine } from '../failure.ts'
import { isObject, type RequestFile } from '../render/project-file.ts'

/**
 * Finds columns that nothing in the project reads, in any row. The column `name` names the file and
 * need not be read.
 */
export function unusedColumns({ columns, rows }: Table, request: RequestFile): FaultLine[] {
  const common = isObject(request.variables) ? request.variables : {}
  let unread = columns.filter((column) => column !== 'name')
  let first: { asked: Variables; references: References } | undefined
  for (const { variables } of rows) {
    // Only placeholders in cells make rows differ in the variables that they read.
    if (first && !JSON.stringify(variables).includes('{{')) continue
    const asked = { payload: request.payload, variables: { ...common, ...variables } }
    const references = referencesOf(asked)
    first ??= { asked, references }
    unread = unread.filter((column) => !isReferred(references, column))
    if (unread.length === 0) return []
  }
  if (first === undefined) return []
  const { asked, references } = first
  return unread.map((column) => ({
    field: column,
    message: unusedMessage(column, references, asked),
  }))
}
