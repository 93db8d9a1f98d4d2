/** Reads the bytes of a text file, whose encoding only the bytes reveal. */

export type TextRead =
  | { readonly text: string; readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' }
  /**
   * `byte`: first one that is no UTF-8; `utf32`: the file begins with the byte order mark of UTF-32.
   */
  | { readonly text: undefined; readonly byte: number; readonly utf32: boolean }

/**
 * Reads UTF-8 or UTF-16, with a byte order mark or without. UTF-16 without a mark is recognised by
 * the zero bytes of its ASCII. The text does not include the mark.
 */
export function readUnicode(bytes: Uint8Array): TextRead {
  const [first, second, third, fourth] = bytes
  const utf32 =
    (first === 0xff && second === 0xfe && third === 0 && fourth === 0) ||
    (first === 0 && second === 0 && third === 0xfe && fourth === 0xff)
  const encoding = encodingOf(bytes)
  const text = utf32 ? undefined : decode(bytes, encoding)
  if (text !== undefined) return { text, encoding }
  return { text: undefined, byte: encoding === 'utf-8' ? firstNonUtf8(bytes) : 0, utf32 }
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const head = bytes.subarray(0, 4_096)
  const zeros = [0, 0]
  for (const [i, byte] of head.entries()) if (byte === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const many = head.length / 8
  if (bytes.length % 2 === 0 && even === 0 && odd > many) return 'utf-16le'
  if (bytes.length % 2 === 0 && odd === 0 && even > many) return 'utf-16be'
  return 'utf-8'
}

/**
 * Returns undefined when the bytes are invalid in that encoding. Throws RangeError for an unknown one.
 */
export function decode(bytes: Uint8Array, encoding: string): string | undefined {
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Length of the longest UTF-8 prefix. */
function firstNonUtf8(bytes: Uint8Array): number {
  let [good, bad] = [0, bytes.length]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (mayBeginUtf8(bytes.subarray(0, middle))) good = middle
    else bad = middle
  }
  // Up to three bytes may belong to an incomplete character.
  const whole = [good, good - 1, good - 2, good - 3].find(
    (end) => end >= 0 && decode(bytes.subarray(0, end), 'utf-8') !== undefined,
  )
  return whole ?? good
}

function mayBeginUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/**
 * Reads Windows-1252, the encoding of older western programs. Undefined where a byte is none of its
 * characters, or is a control character, which no text has.
 */
export function readWindows1252(bytes: Uint8Array): string | undefined {
  const isText = bytes.every((byte) => {
    if (byte < 0x20) return byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d
    return ![0x7f, 0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte)
  })
  return isText ? decode(bytes, 'windows-1252') : undefined
}
