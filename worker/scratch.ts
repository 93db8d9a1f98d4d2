import { mkdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A task's scratch directory, in which it is alone. A still leaves nothing in one, so it is made by who first writes
 * into it.
 */
export async function scratchOf({ dir }: { readonly dir: string }): Promise<string> {
  await mkdir(dir, { recursive: true })
  return dir
}

/** A folder of a task's scratch directory, made when it is first wanted: of what is made, or of decoded sounds. */
export async function scratchFolder(dir: string, name: 'out' | 'pcm'): Promise<string> {
  const folder = join(dir, name)
  await mkdir(folder, { recursive: true })
  return folder
}

/** A still leaves nothing in its directory, and looking for what there is takes longer than all else of it. */
export async function removeScratch(dir: string): Promise<void> {
  await rmdir(dir).catch(() => rm(dir, { recursive: true, force: true }))
}
