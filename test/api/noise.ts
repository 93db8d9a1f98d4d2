import sharp from 'sharp'

/** Returns a JPEG of noise, which hardly shrinks. */
export async function noise(width: number, height: number): Promise<Buffer> {
  const pixels = Buffer.from(Array.from({ length: width * height * 3 }, (_, i) => (i * 7919) % 251))
  return await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 90 })
    .toBuffer()
}
