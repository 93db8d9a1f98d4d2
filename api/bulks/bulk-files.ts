import type { BulkResult } from '../../store/db/bulks/list-results-of-bulk.ts'
import { plainFileName } from '../../store/objects/output-links.ts'
import type { ZippedFile } from './bulk-zip.ts'

/**
 * Names the files of a bulk by their rows, `007-ada.mp4`, so that they sort as the items do and none
 * has the name of another. Jobs without a file are left out.
 */
export function filesOfBulk(results: readonly BulkResult[], now: Date): readonly ZippedFile[] {
  const digits = String(Math.max(0, ...results.map(({ index }) => index + 1))).length
  return results.flatMap(({ index, name, state, result, outputKey, filesExpireAt, finishedAt }) => {
    if (state !== 'completed' || outputKey === null || result === null) return []
    if (filesExpireAt !== null && filesExpireAt <= now) return []
    const row = String(index + 1).padStart(digits, '0')
    return {
      name: `${row}-${plainFileName(name)}.${result.format ?? 'mp4'}`,
      key: outputKey,
      bytes: result.size,
      modified: finishedAt ?? now,
    }
  })
}
