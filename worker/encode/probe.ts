import { tmpdir } from 'node:os'
import {
  type SoundEncoder,
  soundEncoders,
  type VideoEncoder,
  videoEncoders,
} from '../../core/plan/formats.ts'
import { overClipLimits } from '../frames/over-clip.ts'
import { runFfmpeg } from '../process/fluent.ts'
import type { Ended } from '../process/programs.ts'
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

/** Encodes one frame with each encoder: a listed encoder does not always work here. */
export async function probeEncoders(sandbox: Sandbox): Promise<EncoderProbe[]> {
  const pictures = videoEncoders.map((name) => {
    const args = encoders[name].args({ ...settings, encoder: name, preset: presets[name] })
    const options = ['-frames:v', '1', '-pix_fmt', 'yuv420p', '-c:v', name, ...args]
    return { name, source: 'color=c=gray:s=256x256:r=30', options }
  })
  const tones = soundEncoders.map((name) => {
    const options = ['-t', '0.1', '-ac', '2', ...sounds[name].args]
    return { name, source: 'sine=r=48000', options }
  })
  // fluent-ffmpeg queries ffmpeg's abilities before its first command, and concurrent commands
  // would repeat the query.
  const [first, ...others] = [...pictures, ...tones]
  const asking = first ? [await probe(first, sandbox)] : []
  return [...asking, ...(await Promise.all(others.map((other) => probe(other, sandbox))))]
}

type Trial = { readonly name: EncoderProbe['name']; source: string; options: readonly string[] }

async function probe(trial: Trial, sandbox: Sandbox): Promise<EncoderProbe> {
  const { name } = trial
  const outside = await encodeOutside(trial, sandbox)
  // Films over a clip are encoded behind the fence, which must let the GPU in.
  const isInside = outside.exitCode === 0 && name === 'h264_nvenc'
  const ended = isInside ? await encodeInside(trial, sandbox) : outside
  const where = isInside ? 'behind the fence: ' : ''
  return {
    name,
    works: ended.exitCode === 0,
    reason: ended.exitCode === 0 ? '' : `${where}${reasonIn(ended.stderrTail)}`,
  }
}

function encodeOutside({ source, options }: Trial, sandbox: Sandbox): Promise<Ended> {
  return runFfmpeg(
    {
      inputs: [{ source, options: ['-nostdin', '-f', 'lavfi'] }],
      outputs: [{ target: '-', options: [...options, '-f', 'null'] }],
    },
    { sandbox, dir: tmpdir(), timeoutMs: probeTimeoutMs },
  )
}

function encodeInside({ source, options }: Trial, sandbox: Sandbox): Promise<Ended> {
  const input = ['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', source]
  return sandbox.run({
    program: 'ffmpeg',
    args: [...input, ...options, '-f', 'null', '-'],
    fence: { read: [], write: [], gpu: true, limits: overClipLimits },
    timeoutMs: probeTimeoutMs,
  })
}

function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  return (
    lines.find((line) => /cannot|error|unknown|no .* found|not /i.test(line)) ?? lines.at(-1) ?? ''
  )
}
