import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FarmError } from '../../core/errors.ts'
import { type AudioClip, audioSampleRate } from '../../core/plan/plan.ts'
import type { MediaFacts } from '../../core/tasks.ts'
import { runFfmpeg } from '../encode/fluent.ts'
import { stretchWav } from '../encode/stretch.ts'
import type { Ended, Sandbox } from '../sandbox.ts'
import { scratchFolder } from '../scratch.ts'
import { goesOnFor } from './goes-on-for.ts'
import { mediaLimits, probeLimits, soundLimits } from './limits.ts'
import { mp4Fault } from './mp4-structure.ts'
import { type AudioFormat, readAt } from './sniff.ts'

/**
 * Sound that a stranger sent. ffmpeg sees it only in the sandbox, without a name that says
 * anything, by a demuxer that the file's first bytes chose, and with few decoders.
 */

/** The demuxer for each format, and whether a damaged packet condemns the file. */
const demuxers: Record<AudioFormat, { readonly name: string; readonly strict: boolean }> = {
  // Tags and padding between frames are everywhere and harmless; players skip them.
  mp3: { name: 'mp3', strict: false },
  aac: { name: 'aac', strict: false },
  wav: { name: 'wav', strict: true },
  ogg: { name: 'ogg', strict: true },
  flac: { name: 'flac', strict: true },
  mp4: { name: 'mov', strict: true },
  webm: { name: 'matroska', strict: true },
}

const decoders =
  'mp3float,mp3,aac,opus,libopus,vorbis,flac,alac,ac3,eac3,pcm_u8,pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,' +
  'pcm_s32le,pcm_f32le,pcm_f64le,pcm_alaw,pcm_mulaw'

/** ffprobe opens a decoder for every stream of a file, also for pictures it does not tell about. */
const probeDecoders =
  `${decoders},h264,hevc,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,mpeg4,mjpeg,png,` +
  'mov_text,webvtt,subrip,srt,ass,ssa'

const probeTimeoutMs = 20_000
const decodeTimeoutMs = 300_000
/** A file may end this much before the length its header claims. */
const missingSecondsMax = 0.25
const oggPageMaxBytes = 65_307

export type SoundFile = {
  readonly file: string
  readonly format: AudioFormat
  /** Where it stands in the request. */
  readonly field: string
}

export type SoundWork = {
  readonly sandbox: Sandbox
  /** Scratch directory of the task. */
  readonly dir: string
  readonly signal?: AbortSignal
}

/**
 * Finds out what a sound is and decodes all of it once. `duration` counts decoded samples.
 * Errors: FarmError `media_invalid` or `media_too_large`, with the field.
 */
export async function inspectSound(sound: SoundFile, work: SoundWork): Promise<MediaFacts> {
  if (sound.format === 'ogg' && !(await hasOggEnd(sound.file))) {
    throw invalid(sound, 'must be complete. Got an ogg without its last page')
  }
  const fault = sound.format === 'mp4' ? await mp4Fault(sound.file) : undefined
  if (fault !== undefined) throw invalid(sound, `must be whole and undamaged. This one ${fault}`)
  const { claimed, samples } = await probeAndCount(sound, work)
  const duration = samples / audioSampleRate
  if (samples === 0) throw invalid(sound, 'must hold sound. Got none')
  if (duration >= mediaLimits.audioSeconds) throw tooLong(sound, duration)
  if (claimed.seconds - duration > missingSecondsMax) {
    const values = `Its header says ${claimed.seconds.toFixed(2)} s; it ends after ${duration.toFixed(2)} s`
    throw invalid(sound, `must be complete. ${values}`)
  }
  return {
    kind: 'audio',
    format: sound.format,
    duration,
    sampleRate: claimed.sampleRate,
    channels: claimed.channels,
  }
}

/**
 * Programs of one core each, two side by side: the header and, where that is sure of the length, the samples. Elsewhere
 * hours may be few bytes, so nothing is decoded before the end is known. What is told is what would be told if
 * one came after the other.
 */
async function probeAndCount(sound: SoundFile, work: SoundWork) {
  const refused = new AbortController()
  const signal = work.signal ? AbortSignal.any([work.signal, refused.signal]) : refused.signal
  const both = { ...work, signal }
  const isSure = sureOfLength.has(sound.format)
  const beside = isSure ? countSamples(sound, both) : refuseTooLong(sound, both)
  // Told below; until then nobody may be listening.
  beside.catch(() => undefined)
  try {
    const claimed = await probeSound(sound, work)
    if (claimed.seconds > mediaLimits.audioSeconds) throw tooLong(sound, claimed.seconds)
    return { claimed, samples: (await beside) ?? (await countSamples(sound, work)) }
  } catch (error) {
    refused.abort(error)
    await beside.catch(() => undefined)
    throw error
  }
}

/** Whether all of it can be decoded, without a damaged packet. */
export async function isWhole(sound: SoundFile, work: SoundWork): Promise<boolean> {
  try {
    return (await countSamples(sound, work)) > 0
  } catch (error) {
    if (error instanceof FarmError) return false
    throw error
  }
}

/** Ogg claims no length, but flags its last page (RFC 3533, header type bit 0x04). */
async function hasOggEnd(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, oggPageMaxBytes)
    const tail = await readAt(handle, { position: size - length, length })
    const page = tail.lastIndexOf('OggS')
    return page >= 0 && ((tail[page + 5] ?? 0) & 0x04) !== 0
  } finally {
    await handle.close()
  }
}

/** What ffprobe says; numbers of seconds and of samples come as text. */
type Probed = {
  readonly streams?: readonly {
    readonly sample_rate?: string
    readonly channels?: number
    readonly duration?: string
    readonly tags?: { readonly DURATION?: string }
  }[]
  readonly format?: {
    readonly nb_streams?: number
    readonly start_time?: string
    readonly duration?: string
  }
}

async function probeSound(sound: SoundFile, { sandbox, signal }: SoundWork) {
  const entries =
    'format=nb_streams,start_time,duration:stream=sample_rate,channels,duration:stream_tags=DURATION'
  const ended = await sandbox.run({
    program: 'ffprobe',
    args: [
      ...['-v', 'error', ...inputFlags(sound.format, probeDecoders), '-select_streams', 'a:0'],
      ...['-show_entries', entries, '-of', 'json', sound.file],
    ],
    fence: { read: [sound.file], write: [], limits: probeLimits },
    timeoutMs: probeTimeoutMs,
    ...(signal && { signal }),
  })
  if (ended.exitCode !== 0) {
    const failure = ended.timedOut ? 'timeout' : ended.stderrTail
    throw invalid(sound, `must be sound that can be read. Got a damaged ${sound.format}`, failure)
  }
  const probed: Probed = JSON.parse(ended.stdout)
  const [stream] = probed.streams ?? []
  const sampleRate = Number(stream?.sample_rate)
  const channels = Number(stream?.channels)
  if (!(sampleRate > 0 && channels > 0)) {
    throw invalid(sound, `must hold a track of sound. Got a ${sound.format} without one`)
  }
  // ffprobe says "N/A" of a file without times, which is not below 0 either.
  const startsEarly = Number(probed.format?.start_time) < 0
  return { sampleRate, channels, seconds: claimedSeconds(probed), startsEarly }
}

/**
 * The length that the header claims for the sound from the file's first moment, 0 when none. The
 * length of the whole file counts only where there is nothing else in it. Matroska says where the
 * sound ends, on a clock on which the file may begin late.
 */
function claimedSeconds({ streams, format }: Probed): number {
  const [stream] = streams ?? []
  const length = Number(stream?.duration)
  if (Number.isFinite(length)) return length
  const tag = /^(\d+):(\d+):([\d.]+)$/.exec(stream?.tags?.DURATION ?? '')
  const tagged = tag ? Number(tag[1]) * 3600 + Number(tag[2]) * 60 + Number(tag[3]) : undefined
  const whole = format?.nb_streams === 1 ? format.duration : undefined
  const end = [tagged, whole].map(Number).find(Number.isFinite) ?? 0
  return end - Math.max(0, Number(format?.start_time) || 0)
}

/** Formats whose length is known for certain without reading them: by checked tables, or the last page. */
const sureOfLength: ReadonlySet<AudioFormat> = new Set(['wav', 'mp4', 'ogg'])

async function refuseTooLong(sound: SoundFile, { sandbox, signal }: SoundWork): Promise<undefined> {
  const { file, format } = sound
  const input = { file, flags: inputFlags(format, decoders), track: '0:a:0' }
  const around = { sandbox, ...(signal && { signal }) }
  if (await goesOnFor(input, mediaLimits.audioSeconds, around)) throw tooLong(sound)
}

async function countSamples(sound: SoundFile, work: SoundWork): Promise<number> {
  // What it says in the end counts them. A filter that counts costs two thirds of decoding.
  const options = [
    '-v',
    'verbose',
    '-af',
    onFilmClock,
    '-t',
    String(mediaLimits.audioSeconds),
    '-f',
    'null',
  ]
  const ended = await decode(sound, { ...work, options, output: '-', outputBytes: 0 })
  if (ended.timedOut)
    throw invalid(sound, 'must be decoded in good time. Got one that takes longer')
  if (ended.exitCode !== 0) {
    throw invalid(
      sound,
      `must be whole and undamaged. Got a damaged ${sound.format}`,
      ended.stderrTail,
    )
  }
  return Number(/frames encoded \((\d+) samples\)/.exec(ended.stderrTail)?.[1] ?? 0)
}

/**
 * Decodes what a clip plays of a sound into a WAV of float32 at 48 kHz, mono or stereo. It may be
 * shorter than the clip when the source is. Returns the file's path.
 */
export async function decodeClip(
  { clip, sound, index }: { clip: AudioClip; sound: SoundFile; index: number },
  work: SoundWork,
): Promise<string> {
  const output = join(await scratchFolder(work.dir, 'pcm'), `clip-${index}`)
  const { length, speed } = clip
  const ended = await decode(sound, {
    ...work,
    options: ['-af', clipFilter(clip), '-c:a', 'pcm_f32le', '-f', 'wav'],
    output,
    outputBytes: (Math.ceil(length * speed) + audioSampleRate) * 8,
  })
  if (ended.exitCode === 0) return speed === 1 ? output : await atTempo(output, { speed, length })
  throw invalid(
    sound,
    `must be whole and of a known codec. Got one that breaks at second ${await brokenAt(clip, output)}`,
    ended.stderrTail,
  )
}

/** Second of the source up to which there is decoded sound in `output`. */
async function brokenAt({ from }: AudioClip, output: string): Promise<string> {
  // Made when it is not there: a codec that is not known leaves no file.
  const handle = await open(output, 'a+')
  try {
    const { size } = await handle.stat()
    const head = await readAt(handle, { position: 0, length: 24 })
    const channels = head.length < 24 ? 1 : head.readUInt16LE(22)
    const played = size / (channels * 4)
    return ((from + played) / audioSampleRate).toFixed(1)
  } finally {
    await handle.close()
  }
}

/** Sample 0 is second 0, also when the track begins later than the file. */
const onFilmClock = `aresample=${audioSampleRate}:first_pts=0`

/** Trims by counting samples; the tempo comes later. */
function clipFilter({ from, length, speed }: AudioClip): string {
  return [
    onFilmClock,
    `atrim=start_sample=${from}:end_sample=${from + Math.ceil(length * speed)}`,
    'asetpts=N/SR/TB',
    'aformat=sample_fmts=flt:channel_layouts=mono|stereo',
  ].join(',')
}

/** What is decoded of a clip at 10 times the speed is ten times as long as what is heard: it goes. */
async function atTempo(file: string, to: { speed: number; length: number }): Promise<string> {
  const stretched = await stretchWav(file, to)
  await rm(file)
  return stretched
}

async function decode(
  sound: SoundFile,
  {
    sandbox,
    dir,
    signal,
    options,
    output,
    outputBytes,
  }: SoundWork & { options: readonly string[]; output: string; outputBytes: number },
): Promise<Ended> {
  const strict = demuxers[sound.format].strict ? ['-xerror'] : []
  const clock = await clockFlags(sound, { sandbox, dir, ...(signal && { signal }) })
  return runFfmpeg(
    {
      inputs: [
        {
          source: sound.file,
          options: [
            ...strict,
            ...clock,
            '-nostdin',
            ...['-timelimit', String(decodeTimeoutMs / 1000)],
            ...inputFlags(sound.format, decoders),
            ...['-vn', '-sn', '-dn'],
          ],
        },
      ],
      outputs: [{ target: output, options: ['-map', '0:a:0', '-map_metadata', '-1', ...options] }],
    },
    {
      sandbox,
      dir,
      timeoutMs: decodeTimeoutMs,
      fence: {
        read: [sound.file],
        write: output === '-' ? [] : [join(dir, 'pcm')],
        limits: soundLimits(outputBytes),
      },
      ...(signal && { signal }),
    },
  )
}

/**
 * Opus in WebM begins before second 0 with samples that nobody hears. ffmpeg would move the whole
 * file until those are at 0, and the sound would be late by that.
 */
async function clockFlags(sound: SoundFile, work: SoundWork): Promise<string[]> {
  if (sound.format !== 'webm') return []
  const { startsEarly } = await probeSound(sound, work)
  return startsEarly ? ['-copyts'] : []
}

function inputFlags(format: AudioFormat, codecs: string): string[] {
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
    ...(strict ? ['-err_detect', 'explode'] : []),
    ...['-f', name],
  ]
}

function invalid({ field }: SoundFile, rule: string, cause?: string): FarmError {
  return new FarmError('media_invalid', `The sound ${rule}.`, { field, cause })
}

function tooLong({ field }: SoundFile, seconds?: number): FarmError {
  const rule = `A sound must be at most ${mediaLimits.audioSeconds} s long`
  const seen = seconds === undefined ? 'one that goes on beyond that' : `${Math.round(seconds)} s`
  return new FarmError('media_too_large', `${rule}. Got ${seen}.`, { field })
}
