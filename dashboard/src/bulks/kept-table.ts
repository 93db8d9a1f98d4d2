import type { Column } from './mapping.ts'
import type { Project } from './project-choice.tsx'
import type { Sent } from './send-bulk.tsx'

/** Work of New bulk, with what was sent of it already. */
export type Table = {
  readonly project: Project | undefined
  readonly fileName: string
  readonly lines: readonly (readonly string[])[]
  readonly columns: readonly Column[]
  readonly sent: Sent
}

let kept: { readonly table: Table; readonly user: string } | undefined

/** Keeps the table of a user whose session ends, until somebody signs in in this tab. */
export function keepTable(table: Table, user: string): void {
  kept = { table, user }
}

/** Returns the user's own table, once; another's is forgotten. */
export function takeTable(user: string): Table | undefined {
  const found = kept
  kept = undefined
  return found?.user === user ? found.table : undefined
}
