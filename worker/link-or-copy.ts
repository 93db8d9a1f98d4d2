import { copyFile, link } from 'node:fs/promises'
import { isMissing } from './disk-cache.ts'

/**
 * The same bytes under another name on the node's disk. Not every file system has links: there it is a copy. Rejects with
 * ENOENT when the file is not there.
 */
export async function linkOrCopy(file: string, to: string): Promise<void> {
  try {
    await link(file, to)
  } catch (error) {
    if (isMissing(error)) throw error
    await copyFile(file, to)
  }
}
