/** Picture of 8 bits a channel, red, green and blue. */
export type Rgb = { readonly width: number; readonly height: number; readonly pixels: Buffer }

/** Ratio of equal pictures, dB; anything beyond is meaningless. */
const bestPsnr = 99

/** Reads consecutive pictures in binary PPM. @throws Error for anything else */
export function readPpms(bytes: Buffer): Rgb[] {
  const pictures: Rgb[] = []
  for (let at = 0; at < bytes.length; ) {
    const head = /^P6\s(\d+)\s(\d+)\s255\s/.exec(bytes.toString('latin1', at, at + 40))
    if (!head) throw new Error(`A PPM must begin with P6, a size and 255. It does not at ${at}`)
    const [width, height] = [Number(head[1]), Number(head[2])]
    const from = at + head[0].length
    at = from + width * height * 3
    if (at > bytes.length) throw new Error(`A PPM must have ${at} bytes. Got ${bytes.length}`)
    pictures.push({ width, height, pixels: bytes.subarray(from, at) })
  }
  return pictures
}

/**
 * Returns the number and size of the seen pictures, and how close they are to the painted RGBA: the
 * peak signal-to-noise ratio of the worst, dB; 0 when number or size differ.
 */
export function likeness(
  painted: readonly Buffer[],
  { width, height, seen }: { width: number; height: number; seen: readonly Rgb[] },
): { frames: number; width: number; height: number; psnr: number } {
  const size = seen.find((each) => each.width !== width || each.height !== height) ?? seen[0]
  const measured = { frames: seen.length, width: size?.width ?? 0, height: size?.height ?? 0 }
  const isComparable =
    measured.frames === painted.length && measured.width === width && measured.height === height
  if (!isComparable) return { ...measured, psnr: 0 }
  const ratios = painted.map((rgba, n) => psnrOf(rgba, seen[n]?.pixels ?? Buffer.alloc(0)))
  return { ...measured, psnr: Math.min(...ratios) }
}

function psnrOf(rgba: Buffer, rgb: Buffer): number {
  let sum = 0
  for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
    for (let channel = 0; channel < 3; channel += 1) {
      sum += ((rgba[from + channel] ?? 0) - (rgb[to + channel] ?? 0)) ** 2
    }
  }
  return sum === 0 ? bestPsnr : Math.min(bestPsnr, 10 * Math.log10((255 ** 2 * rgb.length) / sum))
}
