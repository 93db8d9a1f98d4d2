import type { Log } from '../../runtime/log.ts'
import { createOnceByKey } from '../once-by-key.ts'
import type { Ended, Limits, Sandbox } from '../sandbox.ts'
import { type ClipFile, type ClipHeader, clipInputFlags } from './clip-probe.ts'

/**
 * Clips that a film is laid over (encode/over-clip.ts) can be decoded by NVDEC (decision 0073). H.264 says to the bit
 * what a frame is, but not all that ffmpeg does on the way to it is done on the way to a GPU: each clip is tried.
 */

export const gpuDecodingChoices = ['off', 'auto'] as const
export type GpuDecodingChoice = (typeof gpuDecodingChoices)[number]

export type GpuDecoding = {
  /** ffmpeg's words before the clip: none where the processor decodes it. Whoever asks first waits for the trial. */
  wordsFor(clip: ClipFile, header: ClipHeader): Promise<readonly string[]>
  /** An ffmpeg that decoded by the GPU has failed, and not for its clip: from now on the processor decodes. */
  giveUp(): void
}

/** What the GPU cannot decode after all, ffmpeg decodes itself. */
const nvdec: readonly string[] = ['-hwaccel', 'cuda']

/** Frames come from a GPU with both colours in one plane; this filter lays them out as the clip has them. */
export const asDecoded = 'format=yuv420p'

/** What a segment decodes: in its time a GPU has to be opened and closed. */
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
    async wordsFor(clip, { codec, pixelFormat }) {
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
  /** One sentence for the log. */
  readonly reason: string
}

/**
 * Decodes the clip's first frames behind the fence, by the processor and with `words` before the input. Those work that
 * give the same frames in less time.
 */
export async function tryGpu(
  clip: ClipFile,
  words: readonly string[],
  sandbox: Sandbox,
): Promise<GpuTrial> {
  const tried = await decode(clip, words, sandbox)
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

/** Its output is a line for each frame. */
function decode(clip: ClipFile, words: readonly string[], sandbox: Sandbox): Promise<Ended> {
  const input = [...clipInputFlags(clip.format), '-threads', '1', '-reinit_filter', '0']
  const from = [...input, ...words, '-i', clip.file]
  const frames = ['-vf', asDecoded, '-fps_mode', 'passthrough', '-frames:v', String(triedFrames)]
  const output = ['-map', '0:V:0', '-an', '-sn', '-dn', ...frames, '-f', 'framecrc', '-']
  return sandbox.run({
    program: 'ffmpeg',
    args: ['-v', 'error', '-nostdin', '-xerror', ...from, ...output],
    fence: { read: [clip.file], write: [], gpu: true, limits },
    timeoutMs,
  })
}
