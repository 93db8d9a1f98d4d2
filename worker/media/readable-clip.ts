import { writeFile } from 'node:fs/promises'
import { readWhole } from '../files/read-whole.ts'
import type { ClipFile } from './clip-probe.ts'
import { mendGif } from './mend-gif.ts'

/**
 * Returns the clip in a form that ffmpeg interprets like browsers: a GIF is rewritten to the file
 * `to`.
 */
export async function readableClip(
  clip: ClipFile,
  to: string,
): Promise<ClipFile & { readonly warnings?: readonly string[] }> {
  const mended = clip.format === 'gif' ? mendGif(await readWhole(clip.file)) : undefined
  if (!mended) return clip
  const { bytes, screen, frames, isCut } = mended
  await writeFile(to, bytes)
  const warning = `This gif file is cut off. It is shown up to its last whole frame, number ${frames}.`
  return { file: to, format: clip.format, screen, ...(isCut && { warnings: [warning] }) }
}
