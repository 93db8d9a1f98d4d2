import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reasonIn } from '../ffmpeg.ts'
import { type Ended, gpuFiles, type Limits, type Sandbox } from '../sandbox.ts'
import type { ClipHeader } from './clip-probe.ts'

/**
 * Clips that a film is laid over (encode/over-clip.ts) are decoded by NVDEC where that was tried and is faster. H.264
 * says to the bit what a frame is, so the film is the same.
 */

export const gpuDecodingChoices = ['auto', 'off'] as const
export type GpuDecodingChoice = (typeof gpuDecodingChoices)[number]

/** ffmpeg's words before an input: what the GPU cannot decode after all, ffmpeg decodes itself. */
export const gpuDecoder: readonly string[] = ['-hwaccel', 'cuda']

/** What comes from the GPU has its two colours in one plane; this filter lays them out as the clip has them. */
export const asDecoded = 'format=yuv420p'

/** What was tried. */
export function isForGpu({ codec, pixelFormat }: ClipHeader): boolean {
  return codec === 'h264' && pixelFormat === 'yuv420p'
}

export type GpuDecoding = {
  readonly works: boolean
  /** One sentence for the log and `farm doctor`. */
  readonly reason: string
}

const turns = 3
const timeoutMs = 30_000
const limits: Limits = { memoryBytes: 3 * 2 ** 30, cpuSeconds: 60, fileBytes: 2 ** 20 }
/** Larger than the sample's frames, which wander over it. */
const ground = { width: 2304, height: 1296 }
/** As long as a segment, in whose time a GPU has to be opened and closed. */
const sample = "loop=loop=119:size=1,crop=1920:1080:'3*n':'n'"

/** Whether the GPU is to decode clips, found out by decoding one. */
export async function chooseGpuDecoding(
  choice: GpuDecodingChoice,
  sandbox: Sandbox,
): Promise<GpuDecoding> {
  if (choice === 'off') return not('switched off by FARM_GPU_DECODING=off')
  if (gpuFiles().length === 0) return not("this machine has no files of NVIDIA's driver")
  return tryDecoder(gpuDecoder, sandbox)
}

/**
 * Decodes four seconds of 1080p with and without `decoder`, ffmpeg's words before the input, behind the fence and in
 * turns. It works where it gives the same frames in less time.
 */
export async function tryDecoder(
  decoder: readonly string[],
  sandbox: Sandbox,
): Promise<GpuDecoding> {
  const dir = await mkdtemp(join(tmpdir(), 'farm-decoding-'))
  try {
    const file = join(dir, 'sample.mp4')
    const made = await makeSample(file, { dir, sandbox })
    if (made.exitCode !== 0) return not(reasonIn(made.stderrTail))
    const decode = (words: readonly string[]) => decoded(file, { words, sandbox })
    const seconds = { with: [] as number[], without: [] as number[] }
    for (let turn = 0; turn < turns; turn += 1) {
      const [tried, usual] = [await decode(decoder), await decode([])]
      const failed = [tried, usual].find(({ exitCode }) => exitCode !== 0)
      if (failed) return not(reasonIn(failed.stderrTail))
      if (tried.stdout !== usual.stdout) return not('its frames are not those of the processor')
      seconds.with.push(tried.seconds)
      seconds.without.push(usual.seconds)
    }
    const [fast, slow] = [Math.min(...seconds.with), Math.min(...seconds.without)]
    const reason = `4 s of 1080p took ${fast.toFixed(2)} s, the processor ${slow.toFixed(2)} s`
    return { works: fast < slow, reason }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Four seconds of H.264 that move, with the detail and the grain of a photograph. */
async function makeSample(
  file: string,
  { dir, sandbox }: { dir: string; sandbox: Sandbox },
): Promise<Ended> {
  const { width, height } = ground
  const pixels = Buffer.alloc((width * height * 3) / 2, 128)
  let grain = 1
  for (let at = 0; at < width * height; at += 1) {
    grain = (Math.imul(grain, 1_664_525) + 1_013_904_223) >>> 0
    const [x, y] = [at % width, Math.floor(at / width)]
    pixels[at] = 40 + (((x * y) >> 9) & 127) + (grain >>> 29)
  }
  const raw = join(dir, 'ground')
  await writeFile(raw, pixels)
  const input = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-video_size', `${width}x${height}`]
  const encoding = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '3']
  const words = ['-v', 'error', '-nostdin', ...input, '-framerate', '30', '-i', raw]
  const args = [...words, '-vf', sample, '-frames:v', '120', ...encoding, file]
  return sandbox.run({ program: 'ffmpeg', args, timeoutMs })
}

/** Its output is a line for each frame. */
function decoded(
  file: string,
  { words, sandbox }: { words: readonly string[]; sandbox: Sandbox },
): Promise<Ended> {
  const input = ['-v', 'error', '-nostdin', '-xerror', '-threads', '1', ...words, '-i', file]
  const output = ['-vf', asDecoded, '-fps_mode', 'passthrough', '-f', 'framecrc', '-']
  return sandbox.run({
    program: 'ffmpeg',
    args: [...input, ...output],
    fence: { read: [file], write: [], gpu: true, limits },
    timeoutMs,
  })
}

function not(reason: string): GpuDecoding {
  return { works: false, reason }
}
