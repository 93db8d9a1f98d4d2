import sharp from 'sharp'
import type { Cell } from './page/place.ts'

/** RGBA, straight alpha. */
export type Pixels = { readonly data: Buffer; readonly width: number; readonly height: number }

/** What is not fully transparent, px; the far edges are exclusive. */
export type Ink = { left: number; top: number; right: number; bottom: number }

export async function decodePixels(png: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Ink of a cell, relative to the cell; undefined when it is empty. */
export function inkOf(pixels: Pixels, cell: Cell): Ink | undefined {
  const words = new Uint32Array(pixels.data.buffer, pixels.data.byteOffset, pixels.data.length >> 2)
  const isInked = (x: number, y: number) =>
    (words[(cell.y + y) * pixels.width + cell.x + x] ?? 0) >>> 24 !== 0
  const rowHasInk = (y: number, until: number) => {
    for (let x = 0; x < until; x++) if (isInked(x, y)) return true
    return false
  }
  let top = 0
  while (top < cell.height && !rowHasInk(top, cell.width)) top++
  if (top === cell.height) return undefined
  let bottom = cell.height
  while (!rowHasInk(bottom - 1, cell.width)) bottom--
  let left = cell.width
  let right = 0
  for (let y = top; y < bottom; y++) {
    for (let x = 0; x < left; x++) if (isInked(x, y)) left = x
    for (let x = cell.width - 1; x >= right; x--) if (isInked(x, y)) right = x + 1
  }
  return { left, top, right, bottom }
}

/** Whether ink stands at an edge of the cell, where more of it may have been cut off. */
export function touchesEdge(ink: Ink, cell: Cell): boolean {
  return ink.left === 0 || ink.top === 0 || ink.right === cell.width || ink.bottom === cell.height
}

/** PNG of one part of the pixels; the same pixels give the same bytes. */
export async function encodeInk({
  pixels,
  cell,
  ink,
}: {
  pixels: Pixels
  cell: Cell
  ink: Ink
}): Promise<Buffer> {
  const width = ink.right - ink.left
  const height = ink.bottom - ink.top
  const part = Buffer.alloc(width * height * 4)
  for (let y = 0; y < height; y++) {
    const start = ((cell.y + ink.top + y) * pixels.width + cell.x + ink.left) * 4
    pixels.data.copy(part, y * width * 4, start, start + width * 4)
  }
  return encodePng({ data: part, width, height })
}

export async function encodePng({ data, width, height }: Pixels): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 4 } })
    .png({ compressionLevel: 2 })
    .toBuffer()
}
