import { readFileSync } from 'node:fs'
import { decode, readUnicode, readWindows1252 } from '../core/text-bytes.ts'
import { Failure } from './failure.ts'

/**
 * Reads a text file in UTF-8 or UTF-16, or in `encoding`. Other encodings are never guessed: a wrong
 * guess would be painted. `refuse` throws for bytes that are no such file.
 * @throws Failure that names the file, and the row of the first byte that cannot be read
 */
export function readTextFile(
  file: string,
  encoding?: string,
  refuse: (bytes: Buffer) => void = () => undefined,
): string {
  const bytes = readBytes(file)
  refuse(bytes)
  const read = readUnicode(bytes)
  if (encoding !== undefined) {
    const text = decode(bytes, encoding)
    if (text === undefined)
      throw new Failure(`${file} must be text in ${encoding}. Got bytes that are not`)
    // Text in another encoding is hardly ever valid Unicode, beyond ASCII.
    if (read.text === undefined || read.text === text) return text
    throw new Failure(`${file} must be text in ${encoding}. Got ${read.encoding.toUpperCase()}`)
  }
  if (read.text !== undefined) return read.text
  throw new Failure(`${file} must be text in UTF-8 or UTF-16. ${seenOf(bytes, read)}`)
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : String(code)
    throw new Failure(`${file} cannot be read: ${why}`, { cause })
  }
}

function seenOf(bytes: Buffer, { byte, utf32 }: { byte: number; utf32: boolean }): string {
  if (utf32) return 'Got UTF-32'
  const before = bytes.subarray(0, byte).toString('utf8')
  const line = before.split(/\r\n|\n|\r/).length
  const hex = (bytes[byte] ?? 0).toString(16).toUpperCase().padStart(2, '0')
  const seen = `Got the byte 0x${hex} in line ${line}`
  const western = readWindows1252(bytes)
  if (western === undefined) return seen
  // The text up to that byte is UTF-8; in Windows-1252 each byte of it is a character.
  const around = western.slice(Math.max(0, byte - 30), byte + 30)
  const word = /[^\s,;"]*$/.exec(around.slice(0, Math.min(30, byte)))?.[0] ?? ''
  const rest = /^[^\s,;"]*/.exec(western.slice(byte, byte + 30))?.[0] ?? ''
  return `${seen}, which Windows-1252 reads as "${word}${rest}"`
}
