import type { Row } from '../../core/bulks/table.ts'
import { invalid } from '../render/check.ts'
import { type LocalMedia, missingFiles, namedFiles } from '../render/local-media.ts'
import type { RequestFile } from '../render/project-file.ts'

/**
 * Files of this machine: those that the project names itself, and those of each row's variables.
 */
export type RowMedia = {
  readonly common: readonly LocalMedia[]
  readonly ofRows: readonly (readonly LocalMedia[])[]
}

/**
 * Finds local media; paths are relative to the folder of `file`, also those in rows.
 * @throws Failure that names each path without a file
 */
export function mediaOfRows(rows: readonly Row[], request: RequestFile, file: string): RowMedia {
  const common = namedFiles(request, file)
  const { variables: _, ...payload } = request.payload
  const ofRows = rows.map(({ variables, number }) =>
    namedFiles({ payload, variables }, file)
      .filter(({ path }) => path[0] === 'variables')
      .map((media) => ({ ...media, field: `row ${number}: ${media.field}` })),
  )
  const missing = missingFiles([...common, ...ofRows.flat()], file)
  if (missing.length > 0) throw invalid(missing)
  return { common, ofRows }
}
