import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ExecutionContext } from 'ava'
import type { FilmFormat } from '../../../core/plan/formats.ts'
import type { AudioClip, EncoderSettings } from '../../../core/plan/plan.ts'
import { openFramePipe } from '../../../worker/encode/frame-pipe.ts'
import type { SegmentFile } from '../../../worker/encode/join.ts'
import type { SegmentFormat } from '../../../worker/encode/video.ts'
import { createYuvConverter } from '../../../worker/encode/yuv/yuv.ts'
import { createNamedPipes } from '../../../worker/process/named-pipes.ts'
import { createSandbox } from '../../../worker/process/sandbox.ts'

const execute = promisify(execFile)

export const sandbox = await createSandbox('auto')
export const never = new AbortController().signal

/** A scratch directory like a task's; removed after the test. */
export async function workOf(t: ExecutionContext) {
  const dir = await mkdtemp(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rm(dir, { recursive: true }))
  return { dir, sandbox }
}

export const lossless: EncoderSettings = {
  encoder: 'libx264',
  preset: 'ultrafast',
  crf: 0,
  threads: 1,
  gop: 60,
}
export const fine: EncoderSettings = { ...lossless, preset: 'veryfast', crf: 10 }

/** Good enough to tell one frame from the next, by format. */
export const encoderOf: Record<FilmFormat, EncoderSettings> = {
  mp4: fine,
  mov: fine,
  webm: { encoder: 'libvpx-vp9', preset: '5', crf: 15, threads: 1, gop: 60 },
  avi: { encoder: 'mpeg4', preset: '', crf: 2, threads: 1, gop: 60 },
}

/** Paints frames `start` ... by `paint` and encodes them as one segment. */
export async function encodeSegment(
  format: SegmentFormat,
  { dir, index, start, frames }: { dir: string; index: number; start: number; frames: number },
  paint: (frame: number) => Buffer,
): Promise<SegmentFile> {
  const file = join(dir, `segment-${index}`)
  const yuv = createYuvConverter(format)
  const pipes = createNamedPipes(dir)
  const pipe = await openFramePipe(format, { output: file, pipes, signal: never })
  for (let n = start; n < start + frames; n += 1) await pipe.write(yuv.convert(paint(n)))
  await pipe.end()
  return { index, file, frames }
}

/** A frame of four patches whose border moves, so that every frame differs. */
export function movingFrame(
  { width, height }: { width: number; height: number },
  n: number,
): Buffer {
  const frame = Buffer.alloc(width * height * 4, 255)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 4
      frame[at] = (x * 3 + n * 7) % 256
      frame[at + 1] = (y * 5 + n * 3) % 256
      frame[at + 2] = x > (n * 2) % width ? 200 : 40
    }
  }
  return frame
}

export function plain({ width, height }: { width: number; height: number }, rgb: number[]): Buffer {
  return Buffer.from(
    Uint8Array.from({ length: width * height * 4 }, (_, i) =>
      i % 4 === 3 ? 255 : (rgb[i % 4] ?? 0),
    ),
  )
}

/** Runs ffmpeg or ffprobe and returns its stdout. */
export async function outputOf(program: 'ffmpeg' | 'ffprobe', ...args: string[]): Promise<Buffer> {
  const { stdout } = await execute(program, ['-v', 'error', ...args], {
    encoding: 'buffer',
    maxBuffer: 2 ** 28,
  })
  return stdout
}

export const clipOf = (clip: Partial<AudioClip>): AudioClip => ({
  digest: '',
  field: 'audios[0].src',
  at: 0,
  from: 0,
  length: 48_000,
  volume: 1,
  speed: 1,
  fades: [],
  ...clip,
})

/** Writes a WAV of 16 bits from a function of the sample, one value a channel. */
export async function writeWav(
  file: string,
  { samples, rate = 48_000, channels = 1 }: { samples: number; rate?: number; channels?: number },
  valueAt: (sample: number, channel: number) => number,
): Promise<string> {
  const data = Buffer.alloc(samples * channels * 2)
  for (let i = 0; i < samples; i += 1) {
    for (let c = 0; c < channels; c += 1) {
      data.writeInt16LE(Math.round(valueAt(i, c) * 32_767), (i * channels + c) * 2)
    }
  }
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * channels * 2, 28)
  head.writeUInt16LE(channels * 2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  await writeFile(file, Buffer.concat([head, data]))
  return file
}
