import { type FileHandle, open } from 'node:fs/promises'
import { type ForeignPicture, foreignHeif, foreignPicture } from './foreign-pictures.ts'
import { findFrames } from './mpeg-frames.ts'

/** Kind of a file by its first bytes. Its name and the server's headers are ignored. */
export type Sniffed =
  | { readonly kind: 'image'; readonly format: ImageFormat }
  | { readonly kind: 'audio'; readonly format: AudioFormat }
  | { readonly kind: 'svg' }
  | ForeignPicture
  | { readonly kind: 'unknown' }

export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'gif' | 'avif'
export type AudioFormat = 'mp3' | 'aac' | 'wav' | 'ogg' | 'flac' | 'mp4' | 'webm'

const sniffBytes = 512
/**
 * ffmpeg searches this far for the first frame of an mp3; players tolerate padding and remains of
 * other streams.
 */
const framesWithinBytes = 65_536

export async function sniffFile(file: string): Promise<Sniffed> {
  const handle = await open(file)
  try {
    return await sniffBy((piece) => readAt(handle, piece))
  } finally {
    await handle.close()
  }
}

/** Bytes of a beginning that tell the kind of nearly any file. */
export const tellingBytes = framesWithinBytes

/** Sniffs a beginning of `tellingBytes`. Tags longer than that count as those of an mp3. */
export async function sniffBeginning(bytes: Buffer): Promise<Sniffed> {
  return await sniffBy(async ({ position, length }) => bytes.subarray(position, position + length))
}

/** Reads at most `length` bytes, fewer at the end of the file. */
type Read = (piece: { readonly position: number; readonly length: number }) => Promise<Buffer>

async function sniffBy(read: Read): Promise<Sniffed> {
  const start = await endOfTags(read)
  const sniffed = sniff(await read({ position: start, length: sniffBytes }))
  const isTold = start === 0 ? sniffed.kind !== 'unknown' : sniffed.kind === 'audio'
  if (isTold) return sniffed
  const bytes = await read({ position: start, length: framesWithinBytes })
  const found = findFrames(bytes, bytes.length < framesWithinBytes)
  if (found !== undefined) return { kind: 'audio', format: found }
  return start > 0 ? { kind: 'audio', format: 'mp3' } : sniffed
}

const tagHeaderBytes = 10
const tagsMax = 4

/** Returns the end of the ID3v2 tags at the file's beginning, which precede mp3, AAC and FLAC. */
async function endOfTags(read: Read): Promise<number> {
  let end = 0
  for (let tags = 0; tags < tagsMax; tags += 1) {
    const head = await read({ position: end, length: tagHeaderBytes })
    if (head.length < tagHeaderBytes || head.toString('latin1', 0, 3) !== 'ID3') return end
    // Sizes have seven bits a byte; a footer is as long as the header.
    const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((head[at] ?? 0) & 0x7f), 0)
    const hasFooter = ((head[5] ?? 0) & 0x10) !== 0
    end += tagHeaderBytes + size + (hasFooter ? tagHeaderBytes : 0)
  }
  return end
}

/** Reads at most `length` bytes, fewer at the end of the file. */
export async function readAt(
  handle: FileHandle,
  { position, length }: { position: number; length: number },
): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await handle.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}

function sniff(head: Buffer): Sniffed {
  const ascii = (from: number, to: number) => head.toString('latin1', from, to)
  if (ascii(0, 8) === '\x89PNG\r\n\x1a\n') return { kind: 'image', format: 'png' }
  if (ascii(0, 3) === '\xff\xd8\xff') return { kind: 'image', format: 'jpeg' }
  if (/^GIF8[79]a/.test(ascii(0, 6))) return { kind: 'image', format: 'gif' }
  if (ascii(0, 4) === 'RIFF' && ascii(8, 12) === 'WEBP') return { kind: 'image', format: 'webp' }
  if (/^(RIFF|RIFX|RF64|BW64)$/.test(ascii(0, 4)) && ascii(8, 12) === 'WAVE') {
    return { kind: 'audio', format: 'wav' }
  }
  if (ascii(4, 8) === 'ftyp') return sniffFtyp(head)
  if (ascii(0, 4) === 'OggS') return { kind: 'audio', format: 'ogg' }
  if (ascii(0, 4) === 'fLaC') return { kind: 'audio', format: 'flac' }
  if (ascii(0, 4) === '\x1a\x45\xdf\xa3') return { kind: 'audio', format: 'webm' }
  return foreignPicture(head) ?? sniffSync(head) ?? sniffMarkup(head)
}

/**
 * Classifies ISO base media: AVIF if any brand says so, HEIC if the first one does, else a film or
 * sound.
 */
function sniffFtyp(head: Buffer): Sniffed {
  const end = Math.min(head.readUInt32BE(0), head.length)
  for (let at = 8; at + 4 <= end; at += at === 8 ? 8 : 4) {
    const brand = head.toString('latin1', at, at + 4)
    if (brand === 'avif' || brand === 'avis') return { kind: 'image', format: 'avif' }
  }
  const brands = head.toString('latin1', 8, end).match(/.{4}/gs) ?? []
  return foreignHeif(brands) ?? { kind: 'audio', format: 'mp4' }
}

/**
 * Detects MPEG frames, which have no signature but a sync word: 11 bits, and a layer (0 = ADTS).
 */
function sniffSync(head: Buffer): Sniffed | undefined {
  const [first, second = 0] = head
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined
  if ((second & 0xf6) === 0xf0) return { kind: 'audio', format: 'aac' }
  if ((second & 0x06) === 0x02) return { kind: 'audio', format: 'mp3' }
  return undefined
}

function sniffMarkup(head: Buffer): Sniffed {
  const text = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
  return /^<svg[\s>]|^<\?xml|^<!DOCTYPE svg/i.test(text) ? { kind: 'svg' } : { kind: 'unknown' }
}
