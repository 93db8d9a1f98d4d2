import { child, descend, sampleEntry } from './boxes.ts'

/**
 * Records in a track that its picture is `width` x `height`, as the stream can only have an even size
 * (4:2:0 crops by two). Players crop the rest on the right and at the bottom.
 */
export function writePictureSize(
  track: Buffer,
  { width, height }: { width: number; height: number },
): void {
  const header = child(track, 'tkhd')
  // Follows version, times, track id, duration, layer, volume and matrix; version 1 has 64-bit
  // times.
  const at = header.readUInt8(0) === 1 ? 88 : 76
  header.writeUInt32BE(width * 65_536, at)
  header.writeUInt32BE(height * 65_536, at + 4)
  const { content } = sampleEntry(descend(track, ['mdia', 'minf', 'stbl']))
  content.writeUInt16BE(width, 24)
  content.writeUInt16BE(height, 26)
}
