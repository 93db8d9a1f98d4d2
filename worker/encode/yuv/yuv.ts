import { readFileSync } from 'node:fs'
import { freePixels } from '../../paint/free-pixels.ts'

/** Converts frames for an encoder. One at a time; it keeps its memory. */
export type YuvConverter = {
  /** Size of its output, px: 4:2:0 needs even sizes, so an odd edge has one line more. */
  readonly width: number
  readonly height: number
  /**
   * Converts an opaque RGBA frame to planar YUV 4:2:0, BT.709, limited range: all Y, then U, then
   * V. The bytes stay valid until the call after the next. It takes over the RGBA and frees its
   * memory.
   */
  convert(rgba: Buffer): Buffer
}

type Convert = (from: number, width: number, height: number, to: number) => void

const pageBytes = 65_536
/** The compiler uses the memory below. */
const frameAt = 1_024
const program = new WebAssembly.Module(readFileSync(new URL('convert.wasm', import.meta.url)))

/**
 * Creates a converter for frames of `width` x `height` px, any size from 1. It is WebAssembly,
 * because it handles every pixel of every frame: 0.7 ms a 720p frame against 3 in swscale and 2.5
 * in JavaScript. The output has 3 bytes for 8 (docs/PERFORMANCE.md).
 */
export function createYuvConverter(size: { width: number; height: number }): YuvConverter {
  const width = size.width + (size.width % 2)
  const height = size.height + (size.height % 2)
  // Megabytes, allocated at the first frame: composed frames, and frames over a clip, never need
  // them.
  let memory: ConverterMemory | undefined
  let turn = 0
  return {
    width,
    height,
    convert(rgba) {
      if (rgba.length !== size.width * size.height * 4) {
        throw new Error(
          `A frame must have ${size.width}x${size.height}x4 bytes. Got ${rgba.length}`,
        )
      }
      memory ??= allocateMemory(width, height)
      const { bytes, frame, convert } = memory
      if (width === size.width && height === size.height) frame.set(rgba)
      else copyWithEdges(rgba, size, frame)
      freePixels(rgba)
      turn = 1 - turn
      const yuvBytes = (width * height * 3) / 2
      const at = frameAt + frame.length + turn * yuvBytes
      convert(frameAt, width, height, at)
      return bytes.subarray(at, at + yuvBytes)
    },
  }
}

type ConverterMemory = { readonly bytes: Buffer; readonly frame: Buffer; readonly convert: Convert }

/** Allocates memory for one RGBA frame and two YUV frames behind it. */
function allocateMemory(width: number, height: number): ConverterMemory {
  const rgbaBytes = width * height * 4
  const yuvBytes = (width * height * 3) / 2
  const pages = Math.ceil((frameAt + rgbaBytes + 2 * yuvBytes) / pageBytes)
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
  const { exports } = new WebAssembly.Instance(program, { env: { memory } })
  const bytes = Buffer.from(memory.buffer)
  const frame = bytes.subarray(frameAt, frameAt + rgbaBytes)
  return { bytes, frame, convert: exports.convert as Convert }
}

/**
 * Copies a frame and repeats the last line at an odd edge, so that the chroma shared with it keeps
 * its colour; `recordSize` hides it from players.
 */
function copyWithEdges(
  rgba: Buffer,
  { width, height }: { width: number; height: number },
  to: Buffer,
) {
  const stride = (width + (width % 2)) * 4
  for (let y = 0; y < height; y += 1) {
    const row = rgba.subarray(y * width * 4, (y + 1) * width * 4)
    to.set(row, y * stride)
    if (width % 2 === 1) to.set(row.subarray(-4), (y + 1) * stride - 4)
  }
  if (height % 2 === 1) to.copyWithin(height * stride, (height - 1) * stride, height * stride)
}
