import type { Item } from '../../core/bulks/batches.ts'
import type { Row } from '../../core/bulks/table.ts'
import type { View } from '../render/progress.ts'
import type { RequestFile } from '../render/project-file.ts'

/** A row with its item and its file name, without the extension. */
export type Entry = { readonly row: Row; readonly item: Item; readonly fileName: string }

/** State of one run. */
export type BulkWork = {
  readonly request: RequestFile
  readonly entries: readonly Entry[]
  readonly name: string
  readonly folder: string
  readonly view: View
  readonly interrupted: Promise<never>
}
