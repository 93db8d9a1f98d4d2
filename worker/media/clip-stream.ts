import { startProgram } from '../process/programs.ts'
import { clipGraph, isKeyedInGraph, type Wanted } from './clip-graph.ts'
import {
  type ClipFile,
  type ClipHeader,
  type ClipWork,
  clipFence,
  clipInputFlags,
} from './clip-probe.ts'
import { leadFrames } from './clip-times.ts'
import { keyOut } from './color-key.ts'

/** Decodes frames of a clip in order; it holds at most one. */
export type ClipStream = {
  /**
   * Returns the next wanted frame: straight RGBA of the wanted size, in the caller's buffer or a
   * new one. @throws BrokenClip when the decoder ended before
   */
  next(into?: Buffer): Promise<Buffer>
  /** Ends the decoder, if it still runs. */
  close(): Promise<void>
}

/** Error for a clip that could not be decoded; `message` is the decoder's, for the log. */
export class BrokenClip extends Error {}

/** A frame may be at the end of a long GOP, on a busy machine. */
const frameTimeoutMs = 120_000

/**
 * Frames by which decoding starts early: pictures shown before a key frame may need pictures before
 * it, and codecs put up to 16 such pictures there.
 */
const leadingFramesMax = 20
const leadingSecondsMin = 0.5

export type ClipJob = {
  readonly clip: ClipFile
  readonly header: ClipHeader
  readonly wanted: Wanted
  /** Known frames of its sequence at which decoding may begin; ascending. */
  readonly keyFrames?: readonly number[]
  /** Arguments that make a GPU decode it (gpu-decoding.ts); empty: the processor does. */
  readonly gpuFlags?: readonly string[]
}

/** Starts a decoder behind the fence. Backpressure stops it while no one reads. */
export function openClipStream(job: ClipJob, { sandbox, signal }: ClipWork): ClipStream {
  signal?.throwIfAborted()
  const { header, wanted } = job
  const { key } = wanted
  const argv = sandbox.commandLine('ffmpeg', clipFence(job.clip))
  const { child, ended, stderrTail, kill } = startProgram([...argv, ...clipArgs(job, 'rawvideo')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  const { stdout } = child
  if (!stdout) throw new Error('A decoder must have a stdout to read. Got none')
  const chunks: AsyncIterator<Buffer> = stdout[Symbol.asyncIterator]()
  const size = wanted.size[0] * wanted.size[1] * 4
  let unread: Buffer = Buffer.alloc(0)

  const fill = async (frame: Buffer) => {
    let filled = unread.copy(frame)
    unread = unread.subarray(filled)
    while (filled < frame.length) {
      const { done, value } = await chunks.next()
      if (done) {
        const exitCode = await ended
        signal?.throwIfAborted()
        throw new BrokenClip(`ffmpeg ended with exit code ${exitCode}: ${stderrTail().trim()}`)
      }
      const copied = value.copy(frame, filled)
      filled += copied
      unread = value.subarray(copied)
    }
  }

  return {
    async next(into) {
      const frame = into ?? Buffer.allocUnsafe(size)
      const timer = setTimeout(kill, frameTimeoutMs)
      try {
        await fill(frame)
      } finally {
        clearTimeout(timer)
      }
      if (key && !isKeyedInGraph(header, key)) keyOut(frame, key)
      return frame
    },
    async close() {
      kill()
      // A process whose output is not read never closes.
      stdout.destroy()
      await ended
    },
  }
}

/** Returns ffmpeg's arguments for the wanted frames. */
export function clipArgs(job: ClipJob, output: 'rawvideo' | 'null'): string[] {
  const { header, wanted } = job
  return [
    ...['-v', 'error', '-nostdin', '-xerror'],
    ...clipInput(job),
    ...['-map', '0:V:0', '-an', '-sn', '-dn'],
    ...['-filter_threads', '1', '-vf', clipGraph(header, wanted)],
    ...['-fps_mode', 'passthrough', '-frames:v', String(wanted.frames.length)],
    ...(output === 'null' ? ['-f', 'null', '-'] : ['-f', 'rawvideo', '-pix_fmt', 'rgba', 'pipe:1']),
  ]
}

/**
 * Returns ffmpeg's arguments to decode the first frame, with a check of a key frame. It prints a
 * line if decoding from the key frame gives a first frame no later than that one.
 */
export function firstFramesArgs(
  { clip, header }: Pick<ClipJob, 'clip' | 'header'>,
  { keyFrame, frameRate }: { keyFrame: number; frameRate: Wanted['frameRate'] },
): string[] {
  const [over, under] = frameRate
  const latest = ((keyFrame - leadFrames(header, frameRate) + 0.5) * under) / over
  const size = [header.width, header.height] as const
  const inputFrom = (frame: number) =>
    clipInput({ clip, header, wanted: { frames: [frame], frameRate, size }, keyFrames: [frame] })
  const graph = clipGraph(header, { frames: [0], frameRate, size })
  const proof = `setpts=PTS-(${header.startTick}),trim=end_frame=1,select='lt(t,${latest.toFixed(6)})'`
  const output = ['-an', '-sn', '-dn', '-fps_mode', 'passthrough']
  return [
    ...['-v', 'error', '-nostdin', '-xerror'],
    ...inputFrom(0),
    ...inputFrom(keyFrame),
    ...['-filter_threads', '1'],
    ...['-map', '0:V:0', ...output, '-vf', graph, '-frames:v', '1', '-f', 'null', '-'],
    ...['-map', '1:V:0', ...output, '-vf', proof, '-f', 'framecrc', '-'],
  ]
}

/**
 * Returns ffmpeg's arguments for the clip as an input, from a little before the first wanted frame.
 */
export function clipInput(job: ClipJob): string[] {
  const { clip, header, gpuFlags = [] } = job
  const { codec, hasAlpha } = header
  // ffmpeg's own decoders of VP8 and VP9 ignore alpha.
  const decoder = hasAlpha && (codec === 'vp8' || codec === 'vp9') ? ['-c:v', libvpx[codec]] : []
  return [
    ...clipInputFlags(clip.format),
    ...['-copyts', ...seek(job)],
    ...['-threads', '1', '-reinit_filter', '0', ...decoder, ...gpuFlags],
    ...['-i', clip.file],
  ]
}

const libvpx = { vp8: 'libvpx', vp9: 'libvpx-vp9' } as const

/**
 * Returns arguments that seek to the last known key frame at or before the first wanted frame, half
 * a frame late, as times are rounded. If none is known nearby, it seeks so far back that nothing
 * can depend on earlier pictures. A GIF has only its first key frame.
 */
function seek({ clip, header: { rates }, wanted, keyFrames = [] }: ClipJob): string[] {
  if (clip.format === 'gif') return []
  const { frameRate, frames } = wanted
  const [first = 0] = frames
  const secondOf = (frame: number) => (frame * frameRate[1]) / frameRate[0]
  const [over, under] = rates.at(-1) ?? [1, 1]
  const leading = Math.max(leadingSecondsMin, (leadingFramesMax * under) / over)
  const known = keyFrames.findLast((frame) => frame <= first) ?? 0
  const second = Math.max(secondOf(first) - leading, known === 0 ? 0 : secondOf(known + 0.5))
  return second > 0 ? ['-noaccurate_seek', '-ss', second.toFixed(6)] : []
}
