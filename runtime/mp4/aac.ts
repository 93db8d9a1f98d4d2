import { boxes, child } from './boxes.ts'
import { box, fullBox } from './write.ts'

/** Describes AAC packets of an mp4 track (ISO 14496-1 and -3, ISO 14496-12). */

/** Samples in a packet of AAC-LC. */
export const packetSamples = 1_024

/** AudioSpecificConfig of AAC-LC, 48 kHz, stereo, 1024 samples a packet. */
const plainConfig = '1190'
/** Suffix that encoders add to say that there is no spectral band replication. */
const noReplication = '56e500'

const entryHeaderBytes = 28
const tags = { stream: 3, decoder: 4, config: 5 } as const
const objectTypeAac = 0x40
const streamTypeSound = 0x15

/**
 * Returns whether a sound track's only kind of packet matches the farm's own encoder: AAC-LC, 48
 * kHz, stereo.
 */
export function isPlainAac(stsd: Buffer): boolean {
  const entries = [...boxes(stsd.subarray(8))]
  const [entry] = entries
  if (entries.length !== 1 || entry?.name !== 'mp4a') return false
  // QuickTime's later versions of the entry have other fields before the inner boxes.
  if (entry.content.length < entryHeaderBytes || entry.content.readUInt16BE(8) !== 0) return false
  const esds = child(entry.content.subarray(entryHeaderBytes), 'esds')
  const stream = descriptor(esds.subarray(4), tags.stream)
  // Flags mean that more fields follow.
  if (stream?.readUInt8(2) !== 0) return false
  const decoder = descriptor(stream.subarray(3), tags.decoder)
  if (decoder?.readUInt8(0) !== objectTypeAac) return false
  const config = descriptor(decoder.subarray(13), tags.config)?.toString('hex')
  return config === plainConfig || config === plainConfig + noReplication
}

/**
 * Returns the content of the descriptor that begins here: a tag, a length of 7 bits a byte,
 * content.
 */
function descriptor(bytes: Buffer, tag: number): Buffer | undefined {
  if (bytes[0] !== tag) return undefined
  let length = 0
  for (let at = 1; at <= 4; at += 1) {
    const byte = bytes[at] ?? 0
    length = length * 128 + (byte & 0x7f)
    if (byte < 0x80) return bytes.subarray(at + 1, at + 1 + length)
  }
  return undefined
}

/** Returns the stsd of a track of plain AAC. `bitRate`: bits a second. */
export function plainAacDescription(bitRate: number): Buffer {
  const header = Buffer.alloc(entryHeaderBytes)
  header.writeUInt16BE(1, 6)
  header.writeUInt16BE(2, 16)
  header.writeUInt16BE(16, 18)
  header.writeUInt32BE(48_000 * 65_536, 24)
  const rates = Buffer.alloc(11)
  rates.writeUInt32BE(bitRate, 3)
  rates.writeUInt32BE(bitRate, 7)
  const config = described(tags.config, Buffer.from(plainConfig + noReplication, 'hex'))
  const kind = Buffer.from([objectTypeAac, streamTypeSound])
  const decoder = described(tags.decoder, Buffer.concat([kind, rates, config]))
  // The track knows its own id; sync layer: 2 = as in mp4.
  const layer = described(6, Buffer.from([2]))
  const stream = described(tags.stream, Buffer.concat([Buffer.from([0, 1, 0]), decoder, layer]))
  const entry = box('mp4a', header, box('esds', fullBox([]), stream))
  return box('stsd', fullBox([1]), entry)
}

function described(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, 0x80, 0x80, 0x80, content.length]), content])
}
