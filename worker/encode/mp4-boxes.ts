import { type FileHandle, open } from 'node:fs/promises'

/** The little of ISO 14496-12 that ffmpeg cannot be asked for: reading and changing the `moov` box. */

const moovMaxBytes = 64 * 2 ** 20
const topLevelBoxesMax = 1_000

export type VideoFacts = {
  readonly frames: number
  /** SPS and PPS as hex: segments can be joined only when theirs are equal. */
  readonly parameterSets: string
}

/** Frames and parameter sets of a film's video track. Throws when the file has none. */
export async function readVideoFacts(file: string): Promise<VideoFacts> {
  const handle = await open(file)
  try {
    const { moov } = await readMoov(handle)
    const table = descend(videoTrack(moov), ['mdia', 'minf', 'stbl'])
    const entry = sampleEntry(table)
    return {
      frames: child(table, 'stsz').readUInt32BE(8),
      parameterSets: child(entry.subarray(entryHeaderBytes), 'avcC').toString('hex'),
    }
  } finally {
    await handle.close()
  }
}

/**
 * Says in the container that the picture is `width` x `height`, where the stream can only say an
 * even size (4:2:0 crops by two). Players cut off the rest on the right and at the bottom.
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
    // After version, times, track id, duration, layer, volume and matrix; version 1 has 64-bit times.
    const at = header.readUInt8(0) === 1 ? 88 : 76
    header.writeUInt32BE(width * 65_536, at)
    header.writeUInt32BE(height * 65_536, at + 4)
    const entry = sampleEntry(descend(track, ['mdia', 'minf', 'stbl']))
    entry.writeUInt16BE(width, 24)
    entry.writeUInt16BE(height, 26)
    await handle.write(moov, 0, moov.length, position)
  } finally {
    await handle.close()
  }
}

/** VisualSampleEntry without its box header. */
const entryHeaderBytes = 78

function sampleEntry(table: Buffer): Buffer {
  // stsd: version, flags and a count before the first entry.
  return child(child(table, 'stsd').subarray(8), 'avc1')
}

function videoTrack(moov: Buffer): Buffer {
  for (const { name, content } of boxes(moov)) {
    if (name !== 'trak') continue
    const handler = descend(content, ['mdia', 'hdlr'])
    if (handler.toString('latin1', 8, 12) === 'vide') return content
  }
  throw new Error('A segment must hold a video track. Got none')
}

async function readMoov(handle: FileHandle): Promise<{ moov: Buffer; position: number }> {
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

function descend(bytes: Buffer, names: readonly string[]): Buffer {
  return names.reduce(child, bytes)
}

function child(bytes: Buffer, name: string): Buffer {
  for (const box of boxes(bytes)) if (box.name === name) return box.content
  throw new Error(`An mp4 must have the box ${name} here. Got none`)
}

/** Contents share memory with `bytes`. */
export function* boxes(bytes: Buffer): Generator<{ name: string; content: Buffer }> {
  let at = 0
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32BE(at)
    if (size < 8) return
    const content = bytes.subarray(at + 8, at + size)
    yield { name: bytes.toString('latin1', at + 4, at + 8), content }
    at += size
  }
}
