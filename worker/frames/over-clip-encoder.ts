import { createInterface } from 'node:readline'
import type { OverClip } from '../../core/plan/bottom-clip.ts'
import { encoderError, writeWhole } from '../encode/frame-pipe.ts'
import { recordColors } from '../encode/mpeg4-colors.ts'
import { encodingArgs, jpegArgs, jpegFilters, type SegmentFormat } from '../encode/video.ts'
import { clipYuvGraph } from '../media/clip-graph.ts'
import type { ClipFile, ClipHeader } from '../media/clip-probe.ts'
import { clipInput } from '../media/clip-stream.ts'
import { asDecoded } from '../media/gpu-decoding.ts'
import type { NamedPipes } from '../process/named-pipes.ts'
import { startProgram } from '../process/programs.ts'
import type { Limits, Sandbox } from '../process/sandbox.ts'

/** Limits for a decoder, a film's frame in a few copies and an encoder with lookahead. */
export const overClipLimits: Limits = {
  memoryBytes: 3 * 2 ** 30,
  cpuSeconds: 1_200,
  fileBytes: 2 ** 34,
}

export type OverClipWork = {
  readonly sandbox: Sandbox
  readonly pipes: NamedPipes
  /** Directory of its own, the only one in which ffmpeg may write. */
  readonly dir: string
  readonly signal: AbortSignal
  /** Returns the layers above the clip, in the order of `over.above`: YUVA of the area's size. */
  readonly picture: (at: number) => Promise<Buffer>
  /** Reports how many frames were encoded since the last call. */
  readonly progress: (frames: number) => void
}

type OverClipJob = {
  readonly over: OverClip
  readonly clip: ClipFile
  readonly header: ClipHeader
  /** Known frames of the clip at which decoding may begin. */
  readonly keyFrames: readonly number[]
  /** Arguments that make a GPU decode it (media/gpu-decoding.ts); empty: the processor does. */
  readonly gpuFlags: readonly string[]
  readonly format: SegmentFormat
  /** Longest side of a preview of the first frame, px; absent: no preview. */
  readonly previewSide?: number
}

/**
 * Encodes frames whose bottom is a clip: one ffmpeg behind the fence decodes, scales and blends it
 * with the layers above, so that the clip's pixels never leave it. Resolves with the segment's file
 * and, on request, a small jpg of its first frame. Throws FarmError `disk_full`, or an Error with
 * the tail of ffmpeg's output.
 */
export async function encodeOverClip(
  job: OverClipJob,
  { sandbox, pipes, dir, signal, picture, progress }: OverClipWork,
): Promise<{ readonly file: string; readonly preview: string | undefined }> {
  const { over, clip, gpuFlags, format, previewSide } = job
  const output = `${dir}/segment`
  const preview = previewSide === undefined ? undefined : `${dir}/preview`
  const args = overClipArgs(job, { output, preview })
  const gpu = gpuFlags.length > 0 || format.encoder.encoder === 'h264_nvenc'
  const fence = { read: [clip.file], write: [dir], gpu, limits: overClipLimits }
  const argv = [...sandbox.commandLine('ffmpeg', fence), ...args]
  const pipe = await pipes.open()
  const { child, ended, stderrTail, kill } = startProgram(argv, {
    stdio: [pipe.reader.fd, 'pipe', 'pipe'],
    signal,
  })
  await pipe.reader.close()
  if (!child.stdout) throw new Error('ffmpeg must have a stdout to read. Got none')
  watchProgress(child.stdout, progress)
  try {
    for (let at = 0; over.area && at < over.above.length; at += 1) {
      if (!(await writeWhole(pipe.writer, await picture(at)))) break
    }
    await pipe.writer.close()
    const exitCode = await ended
    signal.throwIfAborted()
    if (exitCode !== 0) throw encoderError(exitCode, stderrTail())
    if (format.encoder.encoder === 'mpeg4') await recordColors(output)
    return { file: output, preview }
  } finally {
    kill()
    await ended
    await pipe.writer.close().catch(() => undefined)
    pipe.release()
  }
}

/** Parses ffmpeg's own report: `frame=` and the number of encoded frames, twice a second. */
function watchProgress(stdout: NodeJS.ReadableStream, progress: (frames: number) => void): void {
  let reported = 0
  createInterface({ input: stdout }).on('line', (line) => {
    const frames = Number(/^frame=(\d+)$/.exec(line)?.[1] ?? reported)
    progress(frames - reported)
    reported = frames
  })
}

/** Returns ffmpeg's arguments: the clip is input 0; layers above, if any, come on stdin. */
function overClipArgs(
  { over, clip, header, keyFrames, gpuFlags, format, previewSide = 0 }: OverClipJob,
  { output, preview }: { output: string; preview: string | undefined },
): string[] {
  const { frames, above, area, pixels } = over
  const { wanted, starts } = wantedOf(frames)
  const needs = { frames: wanted, frameRate: pixels.frameRate, size: sizeOf(over, format) }
  const tick = `settb=1/${format.frameRate}`
  const bottom = [
    ...(gpuFlags.length > 0 ? [asDecoded] : []),
    clipYuvGraph(header, needs),
    // Repeats the last frame; this filter counts frames from 1, whatever its manual says.
    `loop=loop=1:size=1:start=${wanted.length}`,
    ...cropTo(over, format),
    `${tick},setpts='${stepAt(starts)}'`,
    `fps=fps=${format.frameRate}:round=near:start_time=0`,
  ].join(',')
  const film = area
    ? [
        `[0:V:0]${bottom}[clip]`,
        `[1:v:0]${tick},setpts='${stepAt(above.map(({ at }) => at))}'[above]`,
        `[clip][above]overlay=x=${area[0]}:y=${area[1]}:format=yuv420:eof_action=repeat`,
      ].join(';')
    : `[0:V:0]${bottom}`
  const small = `[first]trim=end_frame=1,${jpegFilters(format, previewSide)}[small]`
  const graph = preview === undefined ? `${film}[film]` : `${film},split[film][first];${small}`
  return [
    ...['-v', 'error', '-nostdin', '-xerror', '-y'],
    ...clipInput({ clip, header, wanted: needs, keyFrames, gpuFlags }),
    ...(area ? aboveInput([area[2], area[3]]) : []),
    ...['-filter_threads', '1', '-filter_complex_threads', '1', '-filter_complex', graph],
    ...['-map', '[film]', '-frames:v', String(frames.length), '-an', '-sn', '-dn'],
    ...['-progress', 'pipe:1', '-stats_period', '0.5'],
    ...encodingArgs(format, output),
    ...(preview === undefined ? [] : ['-map', '[small]', ...jpegArgs, preview]),
  ]
}

function aboveInput([width, height]: readonly [number, number]): string[] {
  return [
    ...['-protocol_whitelist', 'pipe', '-f', 'rawvideo', '-pix_fmt', 'yuva420p'],
    ...['-video_size', `${width}x${height}`, '-i', 'pipe:0'],
  ]
}

/**
 * Returns the distinct frames of the clip, and the frame of the segment at which each begins. The
 * last one is repeated at the segment's end, to hold it until then. The clip's next frame, which is
 * never seen, may be damaged.
 */
function wantedOf(frames: readonly number[]): { wanted: number[]; starts: number[] } {
  const starts = frames.flatMap((frame, at) => (frame === frames[at - 1] ? [] : [at]))
  return { wanted: starts.map((at) => frames[at] ?? 0), starts: [...starts, frames.length] }
}

/** Returns the n-th frame's number as an ffmpeg expression: a search tree, as it nests. */
function stepAt(starts: readonly number[], from = 0): string {
  if (starts.every((at, i) => at === (starts[0] ?? 0) + i)) return `N+(${(starts[0] ?? 0) - from})`
  const half = starts.length >> 1
  const [low, high] = [starts.slice(0, half), starts.slice(half)]
  return `if(lt(N,${from + half}),${stepAt(low, from)},${stepAt(high, from + half)})`
}

/**
 * Returns the size to scale the clip to: its own in the plan, or the film's when it is drawn whole.
 */
function sizeOf(over: OverClip, { width, height }: SegmentFormat) {
  return isWhole(over) ? ([width, height] as const) : over.pixels.size
}

function isWhole({ pixels, source }: OverClip): boolean {
  return source[2] === pixels.size[0] && source[3] === pixels.size[1]
}

/** Returns filters that crop to the part that is drawn, and scale it bilinearly, as the painter enlarges. */
function cropTo(over: OverClip, format: SegmentFormat): string[] {
  if (isWhole(over)) return []
  const [x, y, width, height] = over.source
  const cropped = `crop=${width}:${height}:${x}:${y}`
  if (width === format.width && height === format.height) return [cropped]
  return [cropped, `scale=${format.width}:${format.height}:flags=bilinear+accurate_rnd+bitexact`]
}
