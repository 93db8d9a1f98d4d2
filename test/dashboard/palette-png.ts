import { crc32, deflateSync } from 'node:zlib'
import { createCanvas, loadImage } from '@napi-rs/canvas'

/** Pixels as RGBA. */
export type Picture = { readonly width: number; readonly height: number; readonly data: Uint8Array }

const mostColours = 256
const channelSteps = 17

export async function readPng(file: Buffer): Promise<Picture> {
  const image = await loadImage(file)
  const { width, height } = image
  const context = createCanvas(width, height).getContext('2d')
  context.drawImage(image, 0, 0)
  return { width, height, data: new Uint8Array(context.getImageData(0, 0, width, height).data) }
}

/** Writes a picture with at most 256 colours: a page has few, and the file is a third of the size. */
export function paletteEncoded({ width, height, data }: Picture): Buffer {
  const colours = paletteOf(data)
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      rows[y * (width + 1) + x + 1] = colours.indexOf(data, (y * width + x) * 4)
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    ...[chunk('IHDR', head), chunk('PLTE', colours.bytes)],
    ...[chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))],
  ])
}

/** Takes the most frequent colours; every other one gets the nearest of them. */
function paletteOf(data: Uint8Array) {
  const counts = new Map<number, number>()
  const colourAt = (at: number) =>
    ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0)
  for (let at = 0; at < data.length; at += 4) {
    counts.set(colourAt(at), (counts.get(colourAt(at)) ?? 0) + 1)
  }
  const frequent = [...counts].toSorted(([, a], [, b]) => b - a).map(([colour]) => colour)
  // Few pixels have a colour of their own: places are left for a coarse cube of all colours.
  const chosen = frequent.slice(0, frequent.length > mostColours ? mostColours - 8 : mostColours)
  if (frequent.length > mostColours) {
    for (let i = 0; i < 8; i += 1) {
      const part = (bit: number) => ((i >> bit) & 1) * channelSteps * 15
      chosen.push((part(2) << 16) | (part(1) << 8) | part(0))
    }
  }
  const known = new Map(chosen.map((colour, index) => [colour, index]))
  const distance = (a: number, b: number) =>
    ((a >> 16) - (b >> 16)) ** 2 +
    (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 +
    ((a & 255) - (b & 255)) ** 2
  return {
    bytes: Buffer.from(
      chosen.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]),
    ),
    indexOf: (pixels: Uint8Array, at: number): number => {
      const colour =
        ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0)
      const found = known.get(colour)
      if (found !== undefined) return found
      let best = 0
      for (let index = 1; index < chosen.length; index += 1) {
        if (distance(chosen[index] ?? 0, colour) < distance(chosen[best] ?? 0, colour)) best = index
      }
      known.set(colour, best)
      return best
    },
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}
