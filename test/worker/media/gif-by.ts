export type GifFrame = {
  readonly delay?: number
  readonly disposal?: number
  /** Left, top, width, height. */
  readonly box: readonly [number, number, number, number]
  /** Index into red, green, blue, white, or into its own palette. */
  readonly color: number
  /** Index of the clear colour; undefined: there is none. */
  readonly clear?: number | undefined
  /** Four colours. */
  readonly palette?: readonly number[]
}

const word = (value: number) => [value & 255, value >> 8]

/** LZW with a clear code before each pixel: 3 bits each, so that codes never grow. */
function dataOf(pixels: number, color: number): number[] {
  const bytes: number[] = []
  const codes = [...Array.from({ length: pixels }, () => [4, color]).flat(), 5]
  for (const [i, code] of codes.entries()) {
    for (let bit = 0; bit < 3; bit++) {
      const at = i * 3 + bit
      bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (((code >> bit) & 1) << (at & 7))
    }
  }
  return bytes
}

/** Writes a GIF of plain rectangles by hand, with delays and disposal as given. */
export function gifBy(
  frames: readonly GifFrame[],
  {
    screen = [8, 8],
    background = 0,
    end = [0x3b],
  }: {
    screen?: readonly [number, number]
    /** Index of the background colour, which browsers ignore. */
    background?: number
    end?: readonly number[]
  } = {},
): Buffer {
  const blocks = frames.flatMap(({ delay = 10, disposal = 1, box, color, clear, palette }) => {
    const bytes = dataOf(box[2] * box[3], color)
    const flags = (disposal << 2) | (clear === undefined ? 0 : 1)
    return [
      ...[0x21, 0xf9, 4, flags, ...word(delay), clear ?? 0, 0],
      ...[0x2c, ...box.flatMap(word), palette ? 0x81 : 0, ...(palette ?? [])],
      ...[2, bytes.length, ...bytes, 0],
    ]
  })
  const colors = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]
  const head = [...Buffer.from('GIF89a'), ...screen.flatMap(word), 0x81, background, 0, ...colors]
  return Buffer.from([...head, ...blocks, ...end])
}

const names: Readonly<Record<string, string>> = {
  '255,0,0,255': 'r',
  '0,255,0,255': 'g',
  '0,0,255,255': 'b',
  '255,255,255,255': 'w',
  '0,0,0,255': 'k',
}

/** Shows the picture as letters, one for each square of 2 px; `.` is clear. */
export function lettersOf({ width, height, raw }: { width: number; height: number; raw: Buffer }) {
  const rows: string[] = []
  for (let y = 0; y < height; y += 2) {
    let row = ''
    for (let x = 0; x < width; x += 2) {
      const color = raw.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)
      row += color[3] === 0 ? '.' : (names[color.join()] ?? '?')
    }
    rows.push(row)
  }
  return rows.join(' ')
}
