import { readFile } from 'node:fs/promises'
import { parseCaptions } from '../../core/captions/parse.ts'
import { FarmError } from '../../core/errors.ts'
import type { MediaFacts } from '../../core/tasks.ts'

/** Reads a fetched file of captions; its size was limited while it was fetched. */
export async function inspectCaptions({
  file,
  field,
}: {
  file: string
  field: string
}): Promise<MediaFacts> {
  const { format, captions } = parseCaptions(decoded(await readFile(file), field), field)
  const said = captions.map(({ wordStarts, ...caption }) => ({
    ...caption,
    ...(wordStarts && { wordStarts: [...wordStarts] }),
  }))
  return { kind: 'subtitle', format, captions: said }
}

const utf16Marks = { fffe: 'utf-16le', feff: 'utf-16be' } as const

/** UTF-8, or UTF-16 where the file begins with its mark. */
function decoded(bytes: Buffer, field: string): string {
  const mark = bytes.toString('hex', 0, 2)
  const encoding = mark === 'fffe' || mark === 'feff' ? utf16Marks[mark] : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch (error) {
    const message = 'A subtitle file must be text in UTF-8. Got bytes that are not.'
    throw new FarmError('media_invalid', message, { field, cause: error })
  }
}
