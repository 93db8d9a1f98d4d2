import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Sets the constant quality of every encoding to the best that still is the same kind of stream. */
const wrapper = `#!/bin/bash
args=()
for each in "$@"; do
  if [ "$last" = -crf ]; then args+=(1); else args+=("$each"); fi
  last=$each
done
exec ffmpeg "\${args[@]}"
`

/**
 * Writes programs for FARM_FFMPEG whose films keep what was painted: at this quality the encoder loses
 * nothing that is to be seen. Returns their folder.
 */
export async function losslessPrograms(folder: string): Promise<string> {
  const bin = join(folder, 'lossless')
  await mkdir(bin)
  await writeFile(join(bin, 'ffmpeg'), wrapper, { mode: 0o755 })
  await writeFile(join(bin, 'ffprobe'), '#!/bin/sh\nexec ffprobe "$@"\n', { mode: 0o755 })
  return bin
}
