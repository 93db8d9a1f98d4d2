import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FarmError } from '../../core/errors.ts'
import { type AudioClip, audioSampleRate } from '../../core/plan/plan.ts'
import { type AudioFormat, readAt } from '../../runtime/media/sniff.ts'
import { scratchFolder } from '../files/scratch.ts'
import { runFenced } from '../process/one-shot.ts'
import type { Ended } from '../process/programs.ts'
import { stretchWav } from '../sound/stretch.ts'
import { mediaLimits, soundLimits } from './limits.ts'
import {
  decoders,
  inputFlags,
  invalid,
  isStrict,
  probeSound,
  type SoundFile,
  type SoundWork,
} from './sound-probe.ts'

const decodeTimeoutMs = 300_000

/** Settings for decoding a sound. */
export type Decoding = {
  /** Index among the sound tracks, 0-based. */
  readonly track: number
  /**
   * Stops at the first damaged packet, in formats that detect it; else decodes as much as possible.
   */
  readonly stopsAtDamage: boolean
  /**
   * Channels in the header: needed when a sound whose format changes midway is converted to one.
   */
  readonly channels?: number
}

/**
 * Decodes all of a sound into nothing. ffmpeg's final statistics hold the number of samples: a
 * counting filter would add two thirds of the decoding time.
 */
export function decodeAll(sound: SoundFile, decoding: Decoding, work: SoundWork): Promise<Ended> {
  const to = ['-t', String(mediaLimits.audioSeconds), '-f', 'null']
  const options = ['-v', 'verbose', '-af', clockFilter(sound.format, decoding).join(','), ...to]
  return decode(sound, { ...work, decoding, options, output: '-', outputBytes: 0 })
}

/**
 * Returns whether decoding failed because the sound changes its rate or channels midway
 * (concatenated MP3s): filters would restart there and count from 0, so this is forbidden.
 */
export function isChanging({ cause }: FarmError): boolean {
  return /Changing audio frame properties|Error while processing the decoded data/.test(
    String(cause),
  )
}

/**
 * Decodes a clip's part of a sound into a WAV of float32 at 48 kHz, mono or stereo. It may be
 * shorter than the clip when the source is. Returns the file's path. `isInspected`: ingest has
 * decoded all of it and warned the customer of damage, which is then left out; else damage fails
 * the film.
 */
export async function decodeClip(
  {
    clip,
    sound,
    index,
    isInspected = false,
  }: { clip: AudioClip; sound: SoundFile; index: number; isInspected?: boolean },
  work: SoundWork,
): Promise<string> {
  const output = join(await scratchFolder(work.dir, 'pcm'), `clip-${index}`)
  const { length, speed } = clip
  const attempt = (decoding: Decoding) =>
    decode(sound, {
      ...work,
      decoding,
      options: ['-af', clipFilter(clip, { sound, decoding }), '-c:a', 'pcm_f32le', '-f', 'wav'],
      output,
      outputBytes: (Math.ceil(length * speed) + audioSampleRate) * 8,
    })
  const usual = { track: await trackOf(sound, work), stopsAtDamage: true }
  const ended = await attempt(usual)
  if (ended.exitCode !== 0) {
    const failed = invalid(
      sound,
      `must be whole and of a known codec. Got one that breaks at second ${await brokenAt(clip, output)}`,
      ended.stderrTail,
    )
    if (!isInspected && !isChanging(failed)) throw failed
    const { channels } = await probeSound(sound, work)
    const again = await attempt({ ...usual, stopsAtDamage: false, channels })
    if (again.exitCode !== 0) throw failed
  }
  return speed === 1 ? output : await atTempo(output, { speed, length })
}

/** Containers that may hold several sound tracks. */
const manyTracks: ReadonlySet<AudioFormat> = new Set(['mp4', 'webm'])

async function trackOf(sound: SoundFile, work: SoundWork): Promise<number> {
  return manyTracks.has(sound.format) ? (await probeSound(sound, work)).track : 0
}

/** Returns the second of the source up to which `output` holds decoded sound. */
async function brokenAt({ from }: AudioClip, output: string): Promise<string> {
  // Creates the file if it is missing: an unknown codec leaves none.
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

/**
 * Returns whether filters may pad to second 0 and count samples. They may not when they can restart
 * midway: past damage, in a format with one track, which begins the file.
 */
function keepsClock(format: AudioFormat, { stopsAtDamage }: Decoding): boolean {
  return stopsAtDamage || manyTracks.has(format)
}

/**
 * Returns filters that map sample 0 to second 0, even when the track begins later than the file.
 */
function clockFilter(format: AudioFormat, decoding: Decoding): string[] {
  const { channels } = decoding
  const resampled = `aresample=${audioSampleRate}`
  if (keepsClock(format, decoding)) return [`${resampled}:first_pts=0`]
  return [resampled, `aformat=channel_layouts=${channels === 1 ? 'mono' : 'stereo'}`]
}

/**
 * Returns filters that trim by counting samples, or by times where filters may restart; the tempo
 * comes later.
 */
function clipFilter(
  { from, length, speed }: AudioClip,
  { sound: { format }, decoding }: { sound: SoundFile; decoding: Decoding },
): string {
  const until = from + Math.ceil(length * speed)
  const trim = keepsClock(format, decoding)
    ? [`atrim=start_sample=${from}:end_sample=${until}`, 'asetpts=N/SR/TB']
    : [`atrim=start_pts=${from}:end_pts=${until}`, `asetpts=PTS-${from}`]
  return [
    ...clockFilter(format, decoding),
    ...trim,
    'aformat=sample_fmts=flt:channel_layouts=mono|stereo',
  ].join(',')
}

/**
 * Changes the tempo and removes the original, which at 10 times the speed is ten times as long as
 * the result.
 */
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
    decoding,
    options,
    output,
    outputBytes,
  }: SoundWork & {
    decoding: Decoding
    options: readonly string[]
    output: string
    outputBytes: number
  },
): Promise<Ended> {
  const { track, stopsAtDamage } = decoding
  const clock = await clockFlags(sound, { sandbox, dir, ...(signal && { signal }) })
  return runFenced(
    {
      inputs: [
        {
          source: sound.file,
          options: [
            ...(stopsAtDamage && isStrict(sound.format) ? ['-xerror'] : []),
            ...(stopsAtDamage ? ['-reinit_filter', '0'] : []),
            ...clock,
            '-nostdin',
            ...['-timelimit', String(decodeTimeoutMs / 1000)],
            ...inputFlags(sound.format, decoders, { stopsAtDamage }),
            ...['-vn', '-sn', '-dn'],
          ],
        },
      ],
      outputs: [
        {
          target: output,
          options: [
            ...(stopsAtDamage ? [] : ['-max_error_rate', '1']),
            ...['-map', `0:a:${track}`, '-map_metadata', '-1', ...options],
          ],
        },
      ],
    },
    {
      sandbox,
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
 * Returns the flags for Opus in WebM, which begins before second 0 with inaudible samples. ffmpeg
 * would shift the whole file until those are at 0, and the sound would be late.
 */
async function clockFlags(sound: SoundFile, work: SoundWork): Promise<string[]> {
  if (sound.format !== 'webm') return []
  const { startsEarly } = await probeSound(sound, work)
  return startsEarly ? ['-copyts'] : []
}
