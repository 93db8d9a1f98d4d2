import { mkdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder in a task's scratch directory, which is made when it is first wanted: of files that are told on, or of decoded sounds. */
export async function scratchFolder(dir: string, name: 'out' | 'pcm'): Promise<string> {
  const folder = join(dir, name)
  await mkdir(folder, { recursive: true })
  return folder
}

/** Small work leaves nothing in its directory, and looking for what there is takes longer than all else of it. */
export async function removeScratch(dir: string): Promise<void> {
  await rmdir(dir).catch(() => rm(dir, { recursive: true, force: true }))
}
