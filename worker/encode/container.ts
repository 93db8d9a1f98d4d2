import { type FilmFormat, filmFormats, type SoundEncoder } from '../../core/plan/formats.ts'
import { audioSampleRate } from '../../core/plan/plan.ts'

/** Returns ffmpeg's arguments that make a film from its joined segments and its sound. */

type Timing = {
  readonly frameRate: number
  /** Longest delay between decoding and showing a frame in any segment, frames. */
  readonly delay: number
}

type ContainerArgs = (timing: Timing) => readonly string[]

/** Ticks a second of a finished film, divided by its frame rate: a usual value for players. */
export const ticksPerFrame = 512

/**
 * Segments tick once a frame: the concat demuxer counts in whole microseconds, and would have to be
 * off by half a frame to move one.
 */
const isoArgs = ({ frameRate }: Timing) => [
  ...['-video_track_timescale', String(frameRate * ticksPerFrame)],
  ...['-movie_timescale', String(audioSampleRate), '-movflags', '+faststart'],
]

/**
 * Decodes one frame per frame time. A first segment without B-pictures would else begin without the
 * delay that the next ones need, and the frames' lengths would not sum up to the film's.
 */
const decodedOnePerFrame = ({ delay }: Timing) => [
  '-bsf:v',
  `setts=pts=PTS:dts=(N-${delay})*DURATION`,
]

const containers: Record<FilmFormat, ContainerArgs> = {
  mp4: (timing) => [...isoArgs(timing), '-f', 'mp4'],
  mov: (timing) => [...isoArgs(timing), ...decodedOnePerFrame(timing), '-f', 'mov'],
  // Index before the pictures: players seek without reading the end first.
  webm: () => ['-cues_to_front', '1', '-f', 'webm'],
  // Stream head before each key frame: players that start in the middle need it.
  avi: () => ['-bsf:v', 'dump_extra=freq=keyframe', '-f', 'avi'],
}

type SoundFacts = {
  readonly args: readonly string[]
  /** Input arguments that move the first sample to the film's beginning. */
  readonly inputArgs: readonly string[]
  /** Silence to insert before the sound, samples. */
  readonly lead: number
}

/** Opus has 312 samples before the first one; WebM counts a packet's time with them. */
const opusPreSkip = 312
/** LAME has 1105 samples before the first one, and a packet has 1152. */
const mp3Delay = 1_105
const mp3Packet = 1_152

/**
 * Priming samples of each sound encoder, which are not to be heard. MP4 and WebM record their
 * number. AVI cannot, so the first packet, padded with silence, holds only these and is dropped;
 * the rest fits to the sample. Packets must not borrow bits from a dropped one (`-reservoir 0`).
 */
export const sounds: Record<SoundEncoder, SoundFacts> = {
  aac: { args: ['-c:a', 'aac', '-b:a', '192k'], inputArgs: [], lead: 0 },
  libopus: {
    args: ['-c:a', 'libopus', '-b:a', '160k'],
    inputArgs: ['-itsoffset', (opusPreSkip / audioSampleRate).toFixed(6)],
    lead: 0,
  },
  libmp3lame: {
    args: [
      ...['-c:a', 'libmp3lame', '-b:a', '192k', '-reservoir', '0'],
      ...['-bsf:a', 'noise=drop=eq(n\\,0)'],
    ],
    inputArgs: [],
    lead: mp3Packet - mp3Delay,
  },
}

/** Returns ffmpeg's options for the film: video copied, sound encoded. */
export function joinOptions(film: {
  format: FilmFormat
  frameRate: number
  delay: number
  title: string
  /** Absent: none. */
  audio?: 'encoded' | 'raw'
}): readonly string[] {
  return [
    ...['-map', '0:v:0', '-c:v', 'copy'],
    ...(film.audio ? ['-map', '1:a:0'] : []),
    ...(film.audio === 'encoded' ? ['-c:a', 'copy'] : []),
    ...(film.audio === 'raw' ? soundOptions(film.format) : []),
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...(film.title === '' ? [] : ['-metadata', `title=${film.title}`]),
    ...['-flags:v', '+bitexact', '-flags:a', '+bitexact', '-fflags', '+bitexact'],
    ...containers[film.format](film),
  ]
}

export function soundOptions(format: FilmFormat): readonly string[] {
  return [
    ...sounds[filmFormats[format].sound].args,
    ...['-ar', String(audioSampleRate), '-ac', '2', '-threads:a', '1'],
  ]
}
