import { copyFile, link } from 'node:fs/promises'
import { isMissing } from './disk-cache.ts'

/**
 * Hard-links the file under another name, or copies it where the file system has no links. Rejects
 * with ENOENT when the file is missing.
 */
export async function linkOrCopy(file: string, to: string): Promise<void> {
  try {
    await link(file, to)
  } catch (error) {
    if (isMissing(error)) throw error
    await copyFile(file, to)
  }
}
