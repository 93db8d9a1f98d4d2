import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync, inflateSync } from 'node:zlib'
import { pngChunk } from './hostile-pictures.ts'

export const pictureFile = (name: string) => join(import.meta.dirname, 'pictures', name)

type Rgb = readonly [number, number, number]

/** Three patches of 8 px each, beside each other. */
export const patches: readonly Rgb[] = [
  [200, 60, 40],
  [128, 128, 128],
  [20, 200, 90],
]

type Kind = 'grey' | 'grey-alpha' | 'rgb' | 'rgba' | 'palette'

const colorTypes: Record<Kind, number> = { grey: 0, rgb: 2, palette: 3, 'grey-alpha': 4, rgba: 6 }

/**
 * A PNG of the patches (grey: their red), half clear where it has alpha, with chunks before its
 * data.
 */
export function coloredPng(
  { kind = 'rgb', depth = 8 }: { kind?: Kind; depth?: 8 | 16 },
  ...chunks: Buffer[]
): Buffer {
  const colors = patches.flatMap((color) => Array<Rgb>(8).fill(color))
  const samples = colors.flatMap(([red, green, blue], x) => {
    if (kind === 'palette') return [Math.floor(x / 8)]
    const color = kind.startsWith('grey') ? [red] : [red, green, blue]
    return kind.endsWith('a') ? [...color, 128] : color
  })
  const bytes = depth === 16 ? samples.flatMap((sample) => [sample, sample]) : samples
  const rows = Array.from({ length: 8 }, () => [0, ...bytes]).flat()
  const header = Buffer.from([0, 0, 0, 24, 0, 0, 0, 8, depth, colorTypes[kind], 0, 0, 0])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...chunks,
    ...(kind === 'palette' ? [pngChunk('PLTE', Buffer.from(patches.flat()))] : []),
    pngChunk('IDAT', deflateSync(Buffer.from(rows))),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

export const cicp = (primaries: number, transfer: number, matrix = 0, full = 1) =>
  pngChunk('cICP', Buffer.from([primaries, transfer, matrix, full]))

export const gamma = (value: number) => numbers('gAMA', [value])
export const chromaticities = (values: readonly number[]) => numbers('cHRM', values)
export const srgbChunk = () => pngChunk('sRGB', Buffer.from([0]))
export const profileChunk = (profile: Buffer) =>
  pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), deflateSync(profile)]))

function numbers(type: string, values: readonly number[]): Buffer {
  const content = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) content.writeUInt32BE(Math.round(value * 1e5), at * 4)
  return pngChunk(type, content)
}

export const p3 = [0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06]

/** The ICC profile in a PNG of the folder `pictures`. */
export function profileIn(name: string): Buffer {
  const file = readFileSync(pictureFile(name))
  const at = file.indexOf('iCCP')
  const content = file.subarray(at + 4, at + 4 + file.readUInt32BE(at - 4))
  return inflateSync(content.subarray(content.indexOf(0) + 2))
}

/** The colour in the middle of each patch. */
export function patchColors({
  width,
  height,
  raw,
}: {
  width: number
  height: number
  raw: Buffer
}) {
  return patches.map((_, i) => {
    const at = (Math.floor(height / 2) * width + Math.floor(((i + 0.5) * width) / 3)) * 4
    return [...raw.subarray(at, at + 4)].join()
  })
}

/** Replaces the code points in a picture's `nclx`. */
export function withCodePoints(avif: Buffer, primaries: number, transfer: number): Buffer {
  const changed = Buffer.from(avif)
  const at = changed.indexOf('colrnclx')
  if (at < 0) throw new Error('An AVIF must have nclx to be changed. Got none')
  changed.writeUInt16BE(primaries, at + 8)
  changed.writeUInt16BE(transfer, at + 10)
  return changed
}
