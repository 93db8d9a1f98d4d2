import type { Log } from '../../runtime/log.ts'
import { createOnceByKey } from '../../runtime/once-by-key.ts'
import type { Ended } from '../process/programs.ts'
import type { Limits, Sandbox } from '../process/sandbox.ts'
import { type ClipFile, type ClipHeader, clipInputFlags } from './clip-probe.ts'

/**
 * Choices for decoding the clip under a film's layers (frames/over-clip.ts) by NVDEC (decision
 * 0073). H.264 defines each frame to the bit, but ffmpeg's path to a GPU omits some steps: so each
 * clip is tried.
 */
export const gpuDecodingChoices = ['off', 'auto'] as const
export type GpuDecodingChoice = (typeof gpuDecodingChoices)[number]

export type GpuDecoding = {
  /**
   * Returns ffmpeg's arguments before the clip; empty when the processor decodes it. The first call
   * for a clip waits for its trial.
   */
  flagsFor(clip: ClipFile, header: ClipHeader): Promise<readonly string[]>
  /**
   * Records that an ffmpeg with the GPU failed, not because of its clip: the processor decodes from
   * now on.
   */
  giveUp(): void
}

/** ffmpeg itself decodes what the GPU cannot. */
const nvdec: readonly string[] = ['-hwaccel', 'cuda']

/**
 * A GPU returns frames with both chroma channels in one plane; this filter restores the clip's
 * layout.
 */
export const asDecoded = 'format=yuv420p'

/** Frames of a typical segment: opening and closing the GPU counts against them. */
const triedFrames = 120
const timeoutMs = 60_000
const limits: Limits = { memoryBytes: 3 * 2 ** 30, cpuSeconds: 60, fileBytes: 4096 }

export function createGpuDecoding(
  choice: GpuDecodingChoice,
  { sandbox, log }: { readonly sandbox: Sandbox; readonly log: Log },
  tryOn: (clip: ClipFile) => Promise<GpuTrial> = (clip) => tryGpu(clip, nvdec, sandbox),
): GpuDecoding {
  const trials = createOnceByKey<GpuTrial>()
  let isOn = choice === 'auto'
  return {
    async flagsFor(clip, { codec, pixelFormat }) {
      if (!isOn || codec !== 'h264' || pixelFormat !== 'yuv420p') return []
      const { works } = await trials.get(clip.file, async () => {
        const trial = await tryOn(clip)
        log.info(trial, 'GPU decoding tried')
        return trial
      })
      return works && isOn ? nvdec : []
    },
    giveUp() {
      if (!isOn) return
      isOn = false
      log.warn('GPU decoding is off until this worker starts again: an ffmpeg that used it failed')
    },
  }
}

export type GpuTrial = {
  readonly works: boolean
  /** Sentence for the log. */
  readonly reason: string
}

/**
 * Decodes the clip's first frames behind the fence, by the processor and with `flags` before the
 * input. The GPU works if it gives the same frames in less time.
 */
export async function tryGpu(
  clip: ClipFile,
  flags: readonly string[],
  sandbox: Sandbox,
): Promise<GpuTrial> {
  const tried = await decode(clip, flags, sandbox)
  if (tried.exitCode !== 0) return { works: false, reason: reasonOf(tried) }
  const usual = await decode(clip, [], sandbox)
  if (usual.exitCode !== 0) return { works: false, reason: reasonOf(usual) }
  if (usual.stdout !== tried.stdout) {
    return { works: false, reason: 'its frames are not those of the processor' }
  }
  const [gpu, processor] = [tried, usual].map(({ seconds }) => seconds.toFixed(2))
  return {
    works: tried.seconds < usual.seconds,
    reason: `the same frames in ${gpu} s, by the processor in ${processor} s`,
  }
}

function reasonOf({ timedOut, stderrTail }: Ended): string {
  return timedOut ? 'it took too long' : (stderrTail.trim().split('\n').at(-1) ?? '')
}

/** Decodes with one line of output per frame. */
function decode(clip: ClipFile, flags: readonly string[], sandbox: Sandbox): Promise<Ended> {
  const input = [...clipInputFlags(clip.format), '-threads', '1', '-reinit_filter', '0']
  const from = [...input, ...flags, '-i', clip.file]
  const frames = ['-vf', asDecoded, '-fps_mode', 'passthrough', '-frames:v', String(triedFrames)]
  const output = ['-map', '0:V:0', '-an', '-sn', '-dn', ...frames, '-f', 'framecrc', '-']
  return sandbox.run({
    program: 'ffmpeg',
    args: ['-v', 'error', '-nostdin', '-xerror', ...from, ...output],
    fence: { read: [clip.file], write: [], gpu: true, limits },
    timeoutMs,
  })
}
