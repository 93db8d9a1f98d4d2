import { crc32 } from 'node:zlib'

/** First bytes of every PNG (https://www.w3.org/TR/png-3/#5PNG-file-signature). */
export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Bytes around a chunk's content: its length and name before it, its checksum after it. */
export const chunkHead = 8
export const chunkTail = 4

/** IHDR tail: eight bits a channel, RGB or RGBA, and the only compression, filter and row order. */
const kinds = { 3: Buffer.from([8, 2, 0, 0, 0]), 4: Buffer.from([8, 6, 0, 0, 0]) } as const

/** Bytes per pixel. */
export type Channels = keyof typeof kinds

type Header = { readonly width: number; readonly height: number; readonly channels: Channels }

/** Returns the content of IHDR. */
export function pngHeader({ width, height, channels }: Header): Buffer {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([size, kinds[channels]])
}

export function pngChunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const sum = Buffer.alloc(chunkTail)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
