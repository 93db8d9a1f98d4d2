import { readFile } from 'node:fs/promises'
import { parseCaptions } from '../../core/captions/parse.ts'
import { FarmError } from '../../core/errors.ts'
import type { MediaFacts } from '../../core/queue/tasks.ts'
import { readUnicode, readWindows1252 } from '../../core/text-bytes.ts'

/** Reads a fetched file of captions; its size was limited during the fetch. */
export async function inspectCaptions({
  file,
  field,
}: {
  file: string
  field: string
}): Promise<MediaFacts> {
  const { text, warning } = decoded(await readFile(file), field)
  const { format, captions, warnings } = parseCaptions(text, field)
  const said = captions.map(({ wordStarts, ...caption }) => ({
    ...caption,
    ...(wordStarts && { wordStarts: [...wordStarts] }),
  }))
  const reported = [...(warning === undefined ? [] : [warning]), ...warnings]
  return {
    kind: 'subtitle',
    format,
    captions: said,
    ...(reported.length > 0 && { warnings: reported }),
  }
}

/**
 * Decodes UTF-8, UTF-16, or else Windows-1252, which older programs write. A file whose letters are
 * mostly UTF-8 is treated as UTF-8 with a few lost bytes.
 */
function decoded(bytes: Buffer, field: string): { text: string; warning?: string } {
  const { text } = readUnicode(bytes)
  if (text !== undefined) return { text }
  const damaged = bytes.toString('utf8')
  const count = (sign: RegExp) => damaged.match(sign)?.length ?? 0
  const lost = count(/\ufffd/g)
  if (count(/[^\p{ASCII}\ufffd]/gu) > lost) {
    const warning = `The file is not all UTF-8. ${lost} letters are left out.`
    return { text: damaged.replaceAll('\ufffd', ''), warning }
  }
  const western = readWindows1252(bytes)
  // Nearly all bytes are valid Windows-1252: only a file of captions is worth the guess.
  if (western?.includes('-->')) {
    return { text: western, warning: 'The file is not UTF-8. It is read as Windows-1252.' }
  }
  const message = 'A subtitle file must be text in UTF-8. Got bytes that are not.'
  throw new FarmError('media_invalid', message, { field })
}
