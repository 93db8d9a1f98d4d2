import { FarmError } from '../../core/errors.ts'
import type { AudioFormat } from '../../runtime/media/sniff.ts'
import type { Sandbox } from '../process/sandbox.ts'
import { leavesOutPartialSamples, pictureDecoders } from './clip-probe.ts'
import { mediaLimits, probeLimits } from './limits.ts'
import { readWavLength } from './wav-length.ts'

/**
 * Demuxer of each format, and whether ffmpeg stops at a damaged packet, so that the damage can be
 * reported.
 */
const demuxers: Record<AudioFormat, { readonly name: string; readonly strict: boolean }> = {
  // Tags and padding between frames are common and harmless; players skip them.
  mp3: { name: 'mp3', strict: false },
  aac: { name: 'aac', strict: false },
  // The last packet may be truncated, and its size unknown.
  wav: { name: 'wav', strict: false },
  ogg: { name: 'ogg', strict: true },
  flac: { name: 'flac', strict: true },
  mp4: { name: 'mov', strict: true },
  webm: { name: 'matroska', strict: true },
}

export const decoders =
  'mp3float,mp3,aac,opus,libopus,vorbis,flac,alac,ac3,eac3,pcm_u8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,' +
  'pcm_s32le,pcm_f32le,pcm_f64le,pcm_alaw,pcm_mulaw,adpcm_ima_wav,adpcm_ms'

const codecs: ReadonlySet<string> = new Set(decoders.split(','))

/** ffprobe opens a decoder for every stream of a file, pictures of clips and covers too. */
const probeDecoders = `${decoders},${pictureDecoders},webp,bmp,mov_text,webvtt,subrip,srt,ass,ssa`

const probeTimeoutMs = 20_000

export type SoundFile = {
  readonly file: string
  readonly format: AudioFormat
  /** Position in the request. */
  readonly field: string
}

export type SoundWork = {
  readonly sandbox: Sandbox
  /** Scratch directory of the task. */
  readonly dir: string
  readonly signal?: AbortSignal
}

type ProbedTrack = {
  readonly codec_name?: string
  readonly sample_rate?: string
  readonly channels?: number
  readonly duration?: string
  readonly disposition?: { readonly default?: number }
  readonly tags?: { readonly DURATION?: string }
}

/** Output of ffprobe; numbers of seconds and of samples are strings. */
type Probed = {
  readonly streams?: readonly ProbedTrack[]
  readonly format?: {
    readonly nb_streams?: number
    readonly start_time?: string
    readonly duration?: string
  }
}

export type SoundHeader = {
  /** Index of the audible sound track, 0-based. */
  readonly track: number
  readonly sampleRate: number
  readonly channels: number
  /** Length from the file's first moment that the header claims; 0 = unknown. */
  readonly seconds: number
  /** Begins with inaudible samples before second 0. */
  readonly startsEarly: boolean
}

export async function probeSound(
  sound: SoundFile,
  { sandbox, signal }: SoundWork,
): Promise<SoundHeader> {
  const entries =
    'format=nb_streams,start_time,duration:stream=codec_name,sample_rate,channels,duration:' +
    'stream_disposition=default:stream_tags=DURATION'
  const ended = await sandbox.run({
    program: 'ffprobe',
    args: [
      ...['-v', 'warning', ...inputFlags(sound.format, probeDecoders), '-select_streams', 'a'],
      ...['-show_entries', entries, '-of', 'json', sound.file],
    ],
    fence: { read: [sound.file], write: [], limits: probeLimits },
    timeoutMs: probeTimeoutMs,
    ...(signal && { signal }),
  })
  // An ffmpeg that has the decoder ends here; one without it still knows the codec's name.
  const [, refused] = /Codec \((\w+)\) not on whitelist/.exec(ended.stderrTail) ?? []
  if (refused !== undefined) throw ofForeignCodec(sound, refused)
  if (ended.exitCode !== 0) {
    const failure = ended.timedOut ? 'timeout' : ended.stderrTail
    throw invalid(sound, `must be sound that can be read. Got a damaged ${sound.format}`, failure)
  }
  const probed: Probed = JSON.parse(ended.stdout)
  const tracks = probed.streams ?? []
  // Decision 0077: the first track that the file marks as its default, else the first.
  const track = Math.max(
    0,
    tracks.findIndex(({ disposition }) => disposition?.default === 1),
  )
  const chosen = tracks[track]
  const codec = chosen?.codec_name ?? 'unknown'
  if (codec !== 'unknown' && !codecs.has(codec)) throw ofForeignCodec(sound, codec)
  const sampleRate = Number(chosen?.sample_rate)
  const channels = Number(chosen?.channels)
  if (!(sampleRate > 0 && channels > 0)) {
    throw invalid(sound, `must hold a track of sound. Got a ${sound.format} without one`)
  }
  // ffprobe prints "N/A" for a file without times, which is not below 0 either.
  const startsEarly = Number(probed.format?.start_time) < 0
  const isGuess = /Estimating duration from bitrate/.test(ended.stderrTail)
  const reported = isGuess ? 0 : claimedSeconds(chosen, probed)
  const wav = sound.format === 'wav' ? await readWavLength(sound.file) : undefined
  const seconds = wav?.isCounted ? wav.seconds : Math.max(reported, wav?.seconds ?? 0)
  return { track, sampleRate, channels, seconds, startsEarly }
}

function ofForeignCodec(sound: SoundFile, codec: string): FarmError {
  return invalid(
    sound,
    `must be of a codec that the farm decodes. Got ${codec} in a ${sound.format}`,
  )
}

/**
 * Returns the length that the header claims for the sound from the file's first moment, 0 when
 * none. The length of the whole file counts only if it holds nothing else. Matroska's tag holds the
 * end of the sound, on a clock on which the file may begin late.
 */
function claimedSeconds(stream: ProbedTrack | undefined, { format }: Probed): number {
  const length = Number(stream?.duration)
  if (Number.isFinite(length)) return length
  const tag = /^(\d+):(\d+):([\d.]+)$/.exec(stream?.tags?.DURATION ?? '')
  const tagged = tag ? Number(tag[1]) * 3600 + Number(tag[2]) * 60 + Number(tag[3]) : undefined
  const whole = format?.nb_streams === 1 ? format.duration : undefined
  const end = [tagged, whole].map(Number).find(Number.isFinite) ?? 0
  return end - Math.max(0, Number(format?.start_time) || 0)
}

/**
 * Returns ffmpeg's arguments before the file. `stopsAtDamage`: stops at the first damaged packet,
 * in formats that detect it.
 */
export function inputFlags(
  format: AudioFormat,
  codecs: string,
  { stopsAtDamage = true } = {},
): string[] {
  const { name, strict } = demuxers[format]
  return [
    ...['-max_alloc', String(256 * 2 ** 20)],
    ...['-protocol_whitelist', 'file'],
    ...['-format_whitelist', name],
    ...['-codec_whitelist', codecs],
    ...['-max_pixels', String(mediaLimits.imagePixels)],
    ...['-max_streams', '16'],
    ...['-probesize', '5000000'],
    ...['-analyzeduration', '5000000'],
    ...(strict && stopsAtDamage ? ['-err_detect', 'explode'] : []),
    ...(format === 'mp4' ? leavesOutPartialSamples : []),
    ...['-f', name],
  ]
}

export function invalid({ field }: SoundFile, rule: string, cause?: string): FarmError {
  return new FarmError('media_invalid', `The sound ${rule}.`, { field, cause })
}

export function tooLong({ field }: SoundFile, seconds?: number): FarmError {
  const rule = `A sound must be at most ${mediaLimits.audioSeconds} s long`
  const seen = seconds === undefined ? 'one that goes on beyond that' : `${Math.round(seconds)} s`
  return new FarmError('media_too_large', `${rule}. Got ${seen}.`, { field })
}

/** Returns whether ffmpeg can stop at a damaged packet of the format. */
export function isStrict(format: AudioFormat): boolean {
  return demuxers[format].strict
}
