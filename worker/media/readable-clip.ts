import { constants, copyFile, truncate, writeFile } from 'node:fs/promises'
import { readWhole } from '../files/read-whole.ts'
import type { ClipFile } from './clip-probe.ts'
import { mendGif } from './mend-gif.ts'
import { partialTablesAt } from './mp4-structure.ts'

/**
 * Returns the clip in a form that ffmpeg interprets like browsers: a GIF is rewritten to the file
 * `to`, and an mp4 that is cut off within a fragment's tables is copied there without them.
 */
export async function readableClip(
  clip: ClipFile,
  to: string,
): Promise<ClipFile & { readonly warnings?: readonly string[]; readonly isCut?: true }> {
  if (clip.format === 'mp4') return readableMp4(clip, to)
  const mended = clip.format === 'gif' ? mendGif(await readWhole(clip.file)) : undefined
  if (!mended) return clip
  const { bytes, screen, frames, isCut } = mended
  await writeFile(to, bytes)
  const warning = `This gif file is cut off. It is shown up to its last whole frame, number ${frames}.`
  return { file: to, format: clip.format, screen, ...(isCut && { warnings: [warning] }) }
}

/** Does the same for the file of an mp4 alone. */
export async function readableMp4<File extends { readonly file: string }>(
  clip: File,
  to: string,
): Promise<File & { readonly isCut?: true }> {
  const end = await partialTablesAt(clip.file)
  if (end === undefined) return clip
  await copyFile(clip.file, to, constants.COPYFILE_FICLONE)
  await truncate(to, end)
  return { ...clip, file: to, isCut: true }
}
