import type { EncoderSettings } from '../../core/plan/plan.ts'

/**
 * Arguments for ffmpeg, from facts about the encoders. A segment must be the same bytes on every
 * node: bitexact everywhere, no version strings (x264 writes one as SEI), pinned threads.
 */

export type EncoderName = EncoderSettings['encoder']

type EncoderFacts = {
  /** Quality, GOPs and whatever else the encoder needs to be the same each time. */
  readonly args: (settings: EncoderSettings) => readonly string[]
}

export const encoders: Record<EncoderName, EncoderFacts> = {
  h264_nvenc: {
    args: ({ preset, crf, gop }) => [
      ...['-preset', preset, '-tune', 'hq'],
      ...['-rc', 'vbr', '-cq', String(crf), '-b:v', '0'],
      ...['-g', String(gop), '-strict_gop', '1', '-forced-idr', '1'],
    ],
  },
  libx264: {
    args: ({ preset, crf, threads, gop }) => [
      ...['-preset', preset],
      ...['-crf', String(crf)],
      ...['-threads', String(threads)],
      ...['-g', String(gop)],
      ...['-x264-params', 'open-gop=0:sliced-threads=0'],
    ],
  },
}

/** Encoders in the order in which a farm prefers them. */
export const encoderNames: readonly EncoderName[] = ['h264_nvenc', 'libx264']

export type SegmentFormat = {
  /** Even, px. */
  readonly width: number
  readonly height: number
  readonly frameRate: number
  readonly encoder: EncoderSettings
}

/** Ticks a second of a finished film, divided by its frame rate: a usual value for players. */
const filmTicksPerFrame = 512

/**
 * YUV frames (`createYuvConverter`) on stdin become one segment, whose clock ticks once a frame: exact
 * to join.
 */
export function segmentArgs(
  { width, height, frameRate, encoder }: SegmentFormat,
  output: string,
): string[] {
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-y'],
    ...['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-video_size', `${width}x${height}`],
    ...['-framerate', String(frameRate), ...bt709Tags, '-i', 'pipe:0'],
    ...['-fps_mode', 'passthrough'],
    ...['-c:v', encoder.encoder],
    ...encoders[encoder.encoder].args(encoder),
    ...bt709Tags,
    ...['-bsf:v', 'filter_units=remove_types=6'],
    ...['-flags:v', '+cgop+bitexact', '-fflags', '+bitexact'],
    ...['-video_track_timescale', String(frameRate)],
    ...['-f', 'mp4', output],
  ]
}

const bt709Tags = [
  ...['-color_primaries', 'bt709'],
  ...['-color_trc', 'bt709'],
  ...['-colorspace', 'bt709'],
  ...['-color_range', 'tv'],
]

/**
 * For the film: video as it is, sound encoded. Segments tick once a frame, so the concat demuxer,
 * which counts in whole microseconds, would have to be off by half a frame to move one.
 */
export function joinOptions(film: {
  frameRate: number
  title: string
  audio: boolean
}): readonly string[] {
  return [
    ...['-map', '0:v:0', '-c:v', 'copy'],
    ...['-video_track_timescale', String(film.frameRate * filmTicksPerFrame)],
    ...(film.audio ? soundOptions : []),
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...(film.title === '' ? [] : ['-metadata', `title=${film.title}`]),
    ...['-flags:v', '+bitexact', '-flags:a', '+bitexact', '-fflags', '+bitexact'],
    ...['-movie_timescale', '48000', '-movflags', '+faststart'],
    ...['-f', 'mp4'],
  ]
}

const soundOptions = [
  ...['-map', '1:a:0', '-c:a', 'aac', '-b:a', '192k', '-ar', '48000', '-ac', '2'],
  ...['-threads:a', '1'],
]

/** Longest side of a thumbnail, px. */
export const thumbnailSide = 640

/** JPEG is full-range BT.601, the film limited BT.709. */
export const thumbnailOptions: readonly string[] = [
  ...['-map', '0:v:0', '-frames:v', '1'],
  '-vf',
  `scale=w='min(iw,${thumbnailSide})':h='min(ih,${thumbnailSide})':force_original_aspect_ratio=decrease:` +
    'in_color_matrix=bt709:in_range=limited:out_color_matrix=bt601:out_range=full:' +
    'flags=area+accurate_rnd+bitexact,format=yuvj420p',
  ...['-c:v', 'mjpeg', '-q:v', '3', '-threads', '1'],
  ...['-map_metadata', '-1', '-flags:v', '+bitexact', '-fflags', '+bitexact', '-f', 'mjpeg'],
]
