import { Readable } from 'node:stream'
import {
  type SoundEncoder,
  soundEncoders,
  type VideoEncoder,
  videoEncoders,
} from '../../core/plan/formats.ts'
import { overClipLimits } from '../frames/over-clip-encoder.ts'
import { runOwnFfmpeg } from '../process/fluent.ts'
import { type OneShot, runFenced } from '../process/one-shot.ts'
import type { Sandbox } from '../process/sandbox.ts'
import { sounds } from './container.ts'
import { encoders } from './video.ts'

export type EncoderProbe = {
  readonly name: VideoEncoder | SoundEncoder
  readonly works: boolean
  /** Reason for a failure, in ffmpeg's words. */
  readonly reason: string
}

const probeTimeoutMs = 20_000
const settings = { threads: 1, crf: 23, gop: 30 }
const presets: Record<VideoEncoder, string> = {
  ...{ h264_nvenc: 'p4', libx264: 'veryfast' },
  ...{ 'libvpx-vp9': '5', mpeg4: '' },
}

/** Grey picture, as planes of yuv420p. */
const picture = {
  args: ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', '256x256', '-r', '30'],
  bytes: Buffer.alloc((256 * 256 * 3) / 2, 128),
}
/** Silence of 0.1 s. */
const silence = {
  args: ['-f', 'f32le', '-ar', '48000', '-ac', '2'],
  bytes: Buffer.alloc(4_800 * 2 * 4),
}

/** Encodes one frame with each encoder: a listed encoder does not always work here. */
export async function probeEncoders(sandbox: Sandbox): Promise<EncoderProbe[]> {
  const pictures = videoEncoders.map((name): Trial => {
    const args = encoders[name].args({ ...settings, encoder: name, preset: presets[name] })
    const options = ['-frames:v', '1', '-pix_fmt', 'yuv420p', '-c:v', name, ...args]
    return { name, from: picture, options }
  })
  const tones = soundEncoders.map((name): Trial => {
    return { name, from: silence, options: sounds[name].args }
  })
  // fluent-ffmpeg queries ffmpeg's abilities before its first command, and concurrent commands
  // would repeat the query.
  const [first, ...others] = [...pictures, ...tones]
  const asking = first ? [await probe(first, sandbox)] : []
  return [...asking, ...(await Promise.all(others.map((other) => probe(other, sandbox))))]
}

type Trial = {
  readonly name: EncoderProbe['name']
  readonly from: { readonly args: readonly string[]; readonly bytes: Buffer }
  readonly options: readonly string[]
}

async function probe(trial: Trial, sandbox: Sandbox): Promise<EncoderProbe> {
  const { name } = trial
  const { reason, stderr } = await runOwnFfmpeg(shotOf(trial), { timeoutMs: probeTimeoutMs })
  if (reason !== undefined) return { name, works: false, reason: reasonIn(stderr || reason) }
  // Films over a clip are encoded behind the fence, which must let the GPU in.
  if (name !== 'h264_nvenc') return { name, works: true, reason: '' }
  const { exitCode, stderrTail } = await runFenced(shotOf(trial), {
    ...{ sandbox, timeoutMs: probeTimeoutMs },
    fence: { read: [], write: [], gpu: true, limits: overClipLimits },
  })
  const works = exitCode === 0
  return { name, works, reason: works ? '' : `behind the fence: ${reasonIn(stderrTail)}` }
}

/** From a stream, as newer lists of formats hide `lavfi` from fluent-ffmpeg (decision 0101). */
function shotOf({ from, options }: Trial): OneShot {
  return {
    inputs: [{ source: Readable.from([from.bytes]), options: ['-nostdin', ...from.args] }],
    outputs: [{ target: '-', options: [...options, '-f', 'null'] }],
  }
}

function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  return (
    lines.find((line) => /cannot|error|unknown|no .* found|not /i.test(line)) ?? lines.at(-1) ?? ''
  )
}
