import { tmpdir } from 'node:os'
import type { Sandbox } from '../sandbox.ts'
import { runFfmpeg } from './fluent.ts'
import { type EncoderName, encoderNames, encoders } from './video.ts'

export type EncoderProbe = {
  readonly name: EncoderName
  readonly works: boolean
  /** Why not, in ffmpeg's words. */
  readonly reason: string
}

const probeTimeoutMs = 20_000
const settings = { threads: 1, crf: 23, gop: 30 }
const presets: Record<EncoderName, string> = { h264_nvenc: 'p4', libx264: 'veryfast' }

/** Encodes one frame with each encoder: that ffmpeg lists one does not mean that it works here. */
export async function probeEncoders(sandbox: Sandbox): Promise<EncoderProbe[]> {
  return Promise.all(encoderNames.map((name) => probeEncoder(name, sandbox)))
}

async function probeEncoder(name: EncoderName, sandbox: Sandbox): Promise<EncoderProbe> {
  const ended = await runFfmpeg(
    {
      inputs: [{ source: 'color=c=gray:s=256x256:r=30', options: ['-nostdin', '-f', 'lavfi'] }],
      options: [
        ...['-frames:v', '1', '-pix_fmt', 'yuv420p', '-c:v', name],
        ...encoders[name].args({ ...settings, encoder: name, preset: presets[name] }),
        ...['-f', 'null'],
      ],
      output: '-',
    },
    { sandbox, dir: tmpdir(), timeoutMs: probeTimeoutMs },
  )
  return {
    name,
    works: ended.exitCode === 0,
    reason: ended.exitCode === 0 ? '' : reasonIn(ended.stderrTail),
  }
}

function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  return (
    lines.find((line) => /cannot|error|unknown|no .* found|not /i.test(line)) ?? lines.at(-1) ?? ''
  )
}
