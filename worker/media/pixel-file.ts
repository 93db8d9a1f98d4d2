/**
 * Header of decoded pictures on disk: width and height (little-endian, 32 bits each), followed by
 * straight RGBA.
 */
export const pixelHeaderBytes = 8

export function pixelHeader({ width, height }: { width: number; height: number }): Buffer {
  const header = Buffer.alloc(pixelHeaderBytes)
  header.writeUInt32LE(width, 0)
  header.writeUInt32LE(height, 4)
  return header
}

export function readPixelHeader(bytes: Buffer): { width: number; height: number } {
  return { width: bytes.readUInt32LE(0), height: bytes.readUInt32LE(4) }
}
