import { readUnicode, readWindows1252 } from '../../../core/text-bytes.ts'

/**
 * Reads a file of text in UTF-8 or UTF-16, with or without its mark. Other bytes are read as Windows-1252,
 * and `isGuessed` says so, as the signs of the table show whether that is right.
 */
export async function readTableFile(file: Blob): Promise<{ text: string; isGuessed: boolean }> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const read = readUnicode(bytes)
  if (read.text !== undefined) return { text: read.text, isGuessed: false }
  const text = readWindows1252(bytes)
  if (text === undefined)
    throw new Error('The file must be a table of text, such as CSV. Save it as CSV')
  return { text, isGuessed: true }
}
