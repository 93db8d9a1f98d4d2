import { type FileHandle, open } from 'node:fs/promises'

/** Reads and changes the `moov` box (ISO 14496-12), as far as ffmpeg has no option for it. */

const moovMaxBytes = 64 * 2 ** 20
const topLevelBoxesMax = 1_000

export type VideoFacts = {
  readonly frames: number
  /** Decoder configuration as hex: segments can be joined only when theirs are equal. */
  readonly decoderConfig: string
}

/**
 * Reads frames and decoder configuration of a film's video track. @throws Error when the file has
 * none
 */
export async function readVideoFacts(file: string): Promise<VideoFacts> {
  const handle = await open(file)
  try {
    const { moov } = await readMoov(handle)
    const table = descend(videoTrack(moov), ['mdia', 'minf', 'stbl'])
    return {
      frames: child(table, 'stsz').readUInt32BE(8),
      decoderConfig: decoderConfig(sampleEntry(table)).toString('hex'),
    }
  } finally {
    await handle.close()
  }
}

/**
 * Records in the container that the picture is `width` x `height`, as the stream can only have an
 * even size (4:2:0 crops by two). Players crop the rest on the right and at the bottom.
 */
export async function recordSize(
  file: string,
  { width, height }: { width: number; height: number },
): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    const { moov, position } = await readMoov(handle)
    const track = videoTrack(moov)
    const header = child(track, 'tkhd')
    // Follows version, times, track id, duration, layer, volume and matrix; version 1 has 64-bit
    // times.
    const at = header.readUInt8(0) === 1 ? 88 : 76
    header.writeUInt32BE(width * 65_536, at)
    header.writeUInt32BE(height * 65_536, at + 4)
    const { content } = sampleEntry(descend(track, ['mdia', 'minf', 'stbl']))
    content.writeUInt16BE(width, 24)
    content.writeUInt16BE(height, 26)
    await handle.write(moov, 0, moov.length, position)
  } finally {
    await handle.close()
  }
}

/**
 * Bytes of a box's content before its inner boxes: a VisualSampleEntry's own fields, stsd's count.
 */
export const entryHeaderBytes = 78
const tableHeaderBytes = 8

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

function streamHead(esds: Buffer, growBy = 0): Buffer {
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

/**
 * Replaces the head in a segment of MPEG-4 Part 2 as its encoder left it, with `moov` at its end.
 * `change` gets the old head.
 */
export async function changeStreamHead(
  file: string,
  change: (head: Buffer) => Buffer,
): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    const { moov, position } = await readMoov(handle)
    const { size } = await handle.stat()
    if (position + moov.length !== size)
      throw new Error('A segment must end with moov. It does not')
    const entry = sampleEntry(descend(videoTrack(moov), ['mdia', 'minf', 'stbl']))
    const esds = child(entry.content.subarray(entryHeaderBytes), 'esds')
    const head = streamHead(esds)
    const changed = change(head)
    const growBy = changed.length - head.length
    streamHead(esds, growBy)
    const at = head.byteOffset - moov.byteOffset
    growBoxes(moov, { at, growBy })
    const whole = [moov.subarray(0, at), changed, moov.subarray(at + head.length)]
    const header = Buffer.alloc(4)
    header.writeUInt32BE(moov.length + growBy + 8)
    await handle.write(header, 0, 4, position - 8)
    await handle.writev(whole, position)
    await handle.truncate(size + growBy)
  } finally {
    await handle.close()
  }
}

const headersBeforeBoxes: Readonly<Record<string, number>> = {
  ...{ trak: 0, mdia: 0, minf: 0, stbl: 0 },
  ...{ stsd: tableHeaderBytes, mp4v: entryHeaderBytes },
}

/** Increases the size of every box around the byte `at`. */
function growBoxes(bytes: Buffer, { at, growBy }: { at: number; growBy: number }): void {
  for (const { name, content } of boxes(bytes)) {
    const start = content.byteOffset - bytes.byteOffset
    if (at < start || at >= start + content.length) continue
    bytes.writeUInt32BE(content.length + 8 + growBy, start - 8)
    const skip = headersBeforeBoxes[name]
    if (skip !== undefined) growBoxes(content.subarray(skip), { at: at - start - skip, growBy })
  }
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

export async function readMoov(handle: FileHandle): Promise<{ moov: Buffer; position: number }> {
  const head = Buffer.alloc(16)
  let position = 0
  for (let step = 0; step < topLevelBoxesMax; step += 1) {
    const { bytesRead } = await handle.read(head, 0, 16, position)
    if (bytesRead < 8) break
    const short = head.readUInt32BE(0)
    const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short
    if (head.toString('latin1', 4, 8) === 'moov') {
      if (size > moovMaxBytes)
        throw new Error(`moov must be at most ${moovMaxBytes} B. Got ${size}`)
      const moov = Buffer.alloc(size - 8)
      await handle.read(moov, 0, moov.length, position + 8)
      return { moov, position: position + 8 }
    }
    if (size < 8) break
    position += size
  }
  throw new Error('A segment must be a complete mp4. Got one without moov')
}

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
