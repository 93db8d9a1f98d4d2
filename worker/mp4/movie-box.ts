import { type FileHandle, open } from 'node:fs/promises'
import {
  boxes,
  child,
  decoderConfig,
  descend,
  entryHeaderBytes,
  sampleEntry,
  streamHead,
  tableHeaderBytes,
  videoTrack,
} from '../../runtime/mp4/boxes.ts'
import { writePictureSize } from '../../runtime/mp4/picture-size.ts'

/** Reads and changes the `moov` box of a file, as far as ffmpeg has no option for it. */

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

/** Records the picture's size in the container, as the stream can only have an even one. */
export async function recordSize(
  file: string,
  size: { width: number; height: number },
): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    const { moov, position } = await readMoov(handle)
    writePictureSize(videoTrack(moov), size)
    await handle.write(moov, 0, moov.length, position)
  } finally {
    await handle.close()
  }
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
