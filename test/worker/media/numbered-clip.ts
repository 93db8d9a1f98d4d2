import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'

/**
 * Frames that show their own number: ten blocks in the upper half are its bits, white or black, the
 * lowest at the left. The lower half is a moving texture, so that codecs have something to predict.
 */

export const clipSize = { width: 160, height: 90 }
const bits = 10
const blockPx = clipSize.width / bits

function numberedFrame(number: number): Buffer {
  const { width, height } = clipSize
  const rgb = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3
      if (y < height / 2) {
        rgb.fill((number >> Math.floor(x / blockPx)) & 1 ? 235 : 20, at, at + 3)
      } else {
        rgb[at] = 64 + ((x * 7 + y * 13 + number * 5) % 128)
        rgb[at + 1] = (x + number) % 256
        rgb[at + 2] = y * 2
      }
    }
  }
  return rgb
}

/**
 * Reads the number of a frame: `gray` returns the brightness of a place, 0..255, in parts of the
 * frame.
 */
export function numberIn(gray: (x: number, y: number) => number): number {
  let number = 0
  for (let bit = 0; bit < bits; bit++) {
    if (gray((bit + 0.5) / bits, 0.25) > 128) number += 2 ** bit
  }
  return number
}

/** Encodes a clip of the numbers at 30 frames a second with ffmpeg and `args`. */
export async function makeClip(
  file: string,
  {
    numbers,
    args,
    toPipe = false,
  }: {
    numbers: readonly number[]
    args: readonly string[]
    /** Writes the file without going back in it. */
    toPipe?: boolean
  },
): Promise<string> {
  const { width, height } = clipSize
  const input = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`, '-r', '30']
  const target = toPipe ? await open(file, 'w') : undefined
  const output = target ? 'pipe:1' : file
  const child = spawn('ffmpeg', ['-v', 'error', '-y', ...input, '-i', 'pipe:0', ...args, output], {
    stdio: ['pipe', target?.fd ?? 'ignore', 'inherit'],
  })
  const { stdin } = child
  if (!stdin) throw new Error('ffmpeg must have a stdin. Got none')
  const ended = once(child, 'close')
  for (const number of numbers) {
    if (!stdin.write(numberedFrame(number))) await once(stdin, 'drain')
  }
  stdin.end()
  const [code] = await ended
  await target?.close()
  if (code !== 0) throw new Error(`ffmpeg must make the clip. It ended with ${code}`)
  return file
}

export const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)
