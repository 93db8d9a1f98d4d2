import { mkdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from './disk-cache.ts'

/**
 * Returns a task's own scratch directory, created at the first write, as a still needs none.
 * @throws the signal's reason once the task was stopped
 */
export async function scratchOf({
  dir,
  signal,
}: {
  readonly dir: string
  readonly signal: AbortSignal
}): Promise<string> {
  signal.throwIfAborted()
  await mkdir(dir, { recursive: true })
  return dir
}

/**
 * Returns a folder of a task's scratch directory, created on first use: `out` for results, `pcm`
 * for decoded sound.
 */
export async function scratchFolder(dir: string, name: 'out' | 'pcm'): Promise<string> {
  const folder = join(dir, name)
  await mkdir(folder, { recursive: true })
  return folder
}

/**
 * Removes the directory. Tries rmdir first: a still has none or an empty one, and listing it would
 * take longer than all the rest.
 */
export async function removeScratch(dir: string): Promise<void> {
  await rmdir(dir).catch((error: unknown) => {
    return isMissing(error) ? undefined : rm(dir, { recursive: true, force: true })
  })
}
