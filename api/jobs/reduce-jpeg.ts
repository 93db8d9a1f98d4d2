/** Longer edges of a reduced picture, px, and the qualities of each; the first that fits is taken. */
const edges = [640, 480, 320, 160]
const qualities = [90, 80, 70, 60, 50]

/**
 * Reduces a JPEG that the farm itself has made to at most `maxBytes`. sharp is loaded here: a farm
 * that renders one film needs none in the api.
 */
export async function reduceJpeg(jpeg: Uint8Array, maxBytes: number): Promise<Buffer> {
  const [{ default: sharp }, { bestJpeg }] = await Promise.all([
    import('sharp'),
    import('../../runtime/best-jpeg.ts'),
  ])
  const { data, info } = await sharp(jpeg).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  for (const edge of edges) {
    const scale = Math.min(1, edge / Math.max(width, height))
    const to = { width: Math.ceil(width * scale), height: Math.ceil(height * scale) }
    const best = await bestJpeg({ pixels: data, width, height }, { to, qualities, maxBytes })
    if (best) return best.jpeg
  }
  throw new Error(`A thumbnail of ${width}x${height} must fit ${maxBytes} bytes`)
}
