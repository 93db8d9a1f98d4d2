import type { VideoEncoder } from '../../core/plan/formats.ts'
import type { EncoderSettings } from '../../core/plan/plan.ts'

/**
 * Holds ffmpeg's arguments for each encoder. A segment must be the same bytes on every node:
 * bitexact everywhere, no version strings (x264 writes one as SEI), pinned threads.
 */

type EncoderFacts = {
  /** Returns quality, GOPs and all else that the encoder needs to give the same bytes each time. */
  readonly args: (settings: EncoderSettings) => readonly string[]
  /** True when the stream itself can have an odd size; otherwise the container records it. */
  readonly oddSizes: boolean
}

const withoutSei = ['-bsf:v', 'filter_units=remove_types=6']

export const encoders: Record<VideoEncoder, EncoderFacts> = {
  h264_nvenc: {
    args: ({ preset, crf, gop }) => [
      ...['-preset', preset, '-tune', 'hq'],
      ...['-rc', 'vbr', '-cq', String(crf), '-b:v', '0'],
      ...['-g', String(gop), '-strict_gop', '1', '-forced-idr', '1'],
      ...withoutSei,
    ],
    oddSizes: false,
  },
  libx264: {
    args: ({ preset, crf, threads, gop }) => [
      ...['-preset', preset],
      ...['-crf', String(crf)],
      ...['-threads', String(threads)],
      ...['-g', String(gop)],
      ...['-x264-params', 'open-gop=0:sliced-threads=0'],
      ...withoutSei,
    ],
    oddSizes: false,
  },
  // Uses the mode for live pictures: at equal likeness a third more bytes in a quarter of the time.
  'libvpx-vp9': {
    args: ({ preset, crf, threads, gop }) => [
      ...['-deadline', 'realtime', '-cpu-used', preset],
      ...['-crf', String(crf), '-b:v', '0'],
      ...['-threads', String(threads), '-row-mt', '0', '-tile-columns', '0'],
      ...['-g', String(gop), '-lag-in-frames', '0', '-auto-alt-ref', '0'],
    ],
    oddSizes: true,
  },
  // Closed GOPs work only without scene detection.
  mpeg4: {
    args: ({ crf, threads, gop }) => [
      ...['-q:v', String(crf), '-mbd', 'rd', '-trellis', '1', '-bf', '0'],
      ...['-threads', String(threads)],
      ...['-g', String(gop), '-sc_threshold', '1000000000'],
    ],
    oddSizes: true,
  },
}

export type SegmentFormat = {
  /** Size of the film, px. */
  readonly width: number
  readonly height: number
  readonly frameRate: number
  readonly encoder: EncoderSettings
  /** Frames that must be key frames, besides the first, ascending. */
  readonly keyFrames?: readonly number[]
}

/**
 * Returns arguments that encode YUV frames from stdin (`createYuvConverter`: an odd edge has one
 * line more) to one segment. It is an mp4 whose clock ticks once a frame, whatever the codec: exact
 * to join.
 */
export function segmentArgs(
  { width, height, frameRate, encoder, keyFrames }: SegmentFormat,
  output: string,
): string[] {
  const facts = encoders[encoder.encoder]
  const isOdd = width % 2 === 1 || height % 2 === 1
  const evenSize = `${width + (width % 2)}x${height + (height % 2)}`
  const crop = ['-vf', `crop=${width}:${height}:0:0:exact=1`]
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-y'],
    ...readAhead,
    ...['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-video_size', evenSize],
    ...['-framerate', String(frameRate), ...bt709Tags, '-i', 'pipe:0'],
    ...(isOdd && facts.oddSizes ? crop : []),
    ...encodingArgs({ frameRate, encoder, ...(keyFrames && { keyFrames }) }, output),
  ]
}

/**
 * A second thread reads the next frames, as ffmpeg does by default only for several inputs: each
 * waits in a pipe that holds a third of it. A longer queue gains nothing.
 */
const readAhead = ['-thread_queue_size', '2']

/** Returns arguments that encode frames in BT.709, limited range, to a segment. */
export function encodingArgs(
  { frameRate, encoder, keyFrames = [] }: Omit<SegmentFormat, 'width' | 'height'>,
  output: string,
): string[] {
  return [
    ...['-fps_mode', 'passthrough'],
    ...['-c:v', encoder.encoder],
    ...encoders[encoder.encoder].args(encoder),
    ...forcedKeyFrames(keyFrames, frameRate),
    ...bt709Tags,
    // Default that players assume; a clip's frames would bring their own.
    ...['-chroma_sample_location', 'left'],
    ...['-flags:v', '+cgop+bitexact', '-fflags', '+bitexact'],
    ...['-video_track_timescale', String(frameRate)],
    ...['-f', 'mp4', output],
  ]
}

/**
 * Subtracts a quarter of a frame: the first frame at or after that is chosen, however it is
 * rounded.
 */
function forcedKeyFrames(frames: readonly number[], frameRate: number): string[] {
  if (frames.length === 0) return []
  const seconds = frames.map((frame) => ((frame - 0.25) / frameRate).toFixed(6))
  return ['-force_key_frames', seconds.join(',')]
}

const bt709Tags = [
  ...['-color_primaries', 'bt709'],
  ...['-color_trc', 'bt709'],
  ...['-colorspace', 'bt709'],
  ...['-color_range', 'tv'],
]

/** Longest side of a thumbnail, px. */
export const thumbnailSide = 640

/**
 * Returns filters that make a frame of a segment a small picture, at most `side` px; a segment of
 * an odd size is a line larger than its film. JPEG is full-range BT.601, the film limited BT.709.
 * Sizes are even, as swscale fills the last chroma column of an odd picture from uninitialised
 * memory.
 */
export function jpegFilters(
  { width, height }: { readonly width: number; readonly height: number },
  side: number,
): string {
  const edge = (name: 'iw' | 'ih') => `2*max(1,trunc(${name}*min(1,${side}/max(iw,ih))/2))`
  return (
    `crop=${width}:${height}:0:0:exact=1,` +
    `scale=w='${edge('iw')}':h='${edge('ih')}':` +
    'in_color_matrix=bt709:in_range=limited:out_color_matrix=bt601:out_range=full:' +
    'flags=area+accurate_rnd+bitexact,format=yuvj420p'
  )
}

/** Arguments that write the frame of `jpegFilters` to a file. */
export const jpegArgs = [
  ...['-frames:v', '1', '-c:v', 'mjpeg', '-q:v', '3', '-threads', '1'],
  ...['-map_metadata', '-1', '-flags:v', '+bitexact', '-fflags', '+bitexact', '-f', 'mjpeg'],
]
