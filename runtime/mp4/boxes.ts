/** Reads the boxes of an mp4 (ISO 14496-12). */

/**
 * Bytes of a box's content before its inner boxes: a VisualSampleEntry's own fields, stsd's count.
 */
export const entryHeaderBytes = 78
export const tableHeaderBytes = 8

export function sampleEntry(table: Buffer): Box {
  const [entry] = boxes(child(table, 'stsd').subarray(tableHeaderBytes))
  if (!entry) throw new Error('A segment must say how its pictures are coded. Got no sample entry')
  return entry
}

/**
 * Returns the decoder configuration. H.264: SPS and PPS. VP9: profile, depth and colours. MPEG-4
 * Part 2: the stream's head.
 */
export function decoderConfig({ name, content }: Box): Buffer {
  const inner = content.subarray(entryHeaderBytes)
  switch (name) {
    case 'avc1':
      return child(inner, 'avcC')
    case 'vp09':
      return child(inner, 'vpcC')
    case 'mp4v':
      return streamHead(child(inner, 'esds'))
    default:
      throw new Error(`A segment must be H.264, VP9 or MPEG-4 Part 2. Got ${name}`)
  }
}

/**
 * Nesting of DecoderSpecificInfo (ISO 14496-1): descriptors of tag, length in four bytes, content.
 */
const descriptorFields = [
  { tag: 0x03, bytes: 3 },
  { tag: 0x04, bytes: 13 },
  { tag: 0x05, bytes: 0 },
] as const
const descriptorHeaderBytes = 5

export function streamHead(esds: Buffer, growBy = 0): Buffer {
  let inner = esds.subarray(4)
  for (const { tag, bytes } of descriptorFields) {
    const length = inner.readUInt8(4)
    if (inner.readUInt8(0) !== tag || inner.readUIntBE(1, 3) !== 0x808080) {
      throw new Error(
        `An esds must hold the descriptor ${tag} with a long length here. It does not`,
      )
    }
    inner.writeUInt8(length + growBy, 4)
    const end = descriptorHeaderBytes + length
    inner = inner.subarray(descriptorHeaderBytes + bytes, end)
  }
  return inner
}

export function videoTrack(moov: Buffer): Buffer {
  return trackOf(moov, 'vide')
}

/** Returns the first enabled track of the kind, which is ffmpeg's default; else the first. */
export function trackOf(moov: Buffer, handler: 'vide' | 'soun'): Buffer {
  const tracks = [...boxes(moov)]
    .filter(({ name }) => name === 'trak')
    .map(({ content }) => content)
    .filter((track) => descend(track, ['mdia', 'hdlr']).toString('latin1', 8, 12) === handler)
  const chosen = tracks.find((track) => isEnabled(child(track, 'tkhd'))) ?? tracks[0]
  if (chosen) return chosen
  throw new Error(`An mp4 must hold a track of ${handler} here. Got none`)
}

/** Flag 1 of a track's header (ISO 14496-12, 8.3.2). */
const isEnabled = (header: Buffer) => (header.readUInt8(3) & 1) === 1

export function descend(bytes: Buffer, names: readonly string[]): Buffer {
  return names.reduce(child, bytes)
}

export function child(bytes: Buffer, name: string): Buffer {
  for (const box of boxes(bytes)) if (box.name === name) return box.content
  throw new Error(`An mp4 must have the box ${name} here. Got none`)
}

type Box = { readonly name: string; readonly content: Buffer }

/** Yields the boxes; contents share memory with `bytes`. */
export function* boxes(bytes: Buffer): Generator<Box> {
  let at = 0
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32BE(at)
    if (size < 8) return
    const content = bytes.subarray(at + 8, at + size)
    yield { name: bytes.toString('latin1', at + 4, at + 8), content }
    at += size
  }
}
