import { mkdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from './disk-cache.ts'

/**
 * A task's scratch directory, in which it is alone. A still leaves nothing in one, so it is made by who first writes
 * into it; not for what goes on after the task was stopped.
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

/** A folder of a task's scratch directory, made when it is first wanted: of what is made, or of decoded sounds. */
export async function scratchFolder(dir: string, name: 'out' | 'pcm'): Promise<string> {
  const folder = join(dir, name)
  await mkdir(folder, { recursive: true })
  return folder
}

/** A still has no directory or an empty one, and looking for what there is takes longer than all else of it. */
export async function removeScratch(dir: string): Promise<void> {
  await rmdir(dir).catch((error: unknown) => {
    return isMissing(error) ? undefined : rm(dir, { recursive: true, force: true })
  })
}
