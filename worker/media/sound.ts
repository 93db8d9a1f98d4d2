import { join } from 'node:path'
import type { FarmError } from '../../core/errors.ts'
import { audioSampleRate } from '../../core/plan/plan.ts'
import type { MediaFacts } from '../../core/queue/tasks.ts'
import { goesOnFor } from './goes-on-for.ts'
import { mediaLimits } from './limits.ts'
import { readMp4Structure } from './mp4-structure.ts'
import { hasOggEnd } from './ogg-end.ts'
import { readableMp4 } from './readable-clip.ts'
import { type Decoding, decodeAll, isChanging } from './sound-decode.ts'
import {
  decoders,
  inputFlags,
  invalid,
  probeSound,
  type SoundFile,
  type SoundHeader,
  type SoundWork,
  tooLong,
} from './sound-probe.ts'

/**
 * Inspects sound of strangers. ffmpeg sees it only in the sandbox, under a meaningless name, with
 * the demuxer that the first bytes chose, and with few decoders.
 */

/** Largest gap between a file's end and its claimed length. */
const missingSecondsMax = 0.25

/**
 * Inspects a sound and decodes all of it once. `duration` counts decoded samples. A damaged sound
 * is used as far as it can be decoded, and `warnings` say how far. Errors: FarmError
 * `media_invalid` or `media_too_large`, with the field.
 */
export async function inspectSound(sent: SoundFile, work: SoundWork): Promise<MediaFacts> {
  const mp4 = sent.format === 'mp4' ? await readMp4Structure(sent.file) : undefined
  if (mp4?.fault !== undefined)
    throw invalid(sent, `must be whole and undamaged. This one ${mp4.fault}`)
  const sound = mp4 ? await readableMp4(sent, join(work.dir, 'readable-sound')) : sent
  const lacksEnd = sound.format === 'ogg' && !(await hasOggEnd(sound.file))
  const isCut = lacksEnd || (mp4?.isCut === true && mp4.isFragmented)
  const { header, samples, isDamaged } = await probeAndCount(sound, work)
  const duration = samples / audioSampleRate
  if (samples === 0) throw invalid(sound, 'must hold sound. Got none')
  if (duration >= mediaLimits.audioSeconds) throw tooLong(sound, duration)
  const warning = warningOf({ isDamaged, isCut, claimed: header.seconds, duration })
  return {
    kind: 'audio',
    format: sound.format,
    duration,
    sampleRate: header.sampleRate,
    channels: header.channels,
    ...(warning && { warnings: [warning] }),
  }
}

/** Describes the used part of a damaged file; undefined when nothing seems to be missing. */
function warningOf({
  isDamaged,
  isCut,
  claimed,
  duration,
}: {
  isDamaged: boolean
  isCut: boolean
  claimed: number
  duration: number
}): string | undefined {
  const used = `${duration.toFixed(2)} s`
  const isShort = claimed - duration > missingSecondsMax
  const said = isShort ? `The header says ${claimed.toFixed(2)} s; ` : ''
  if (isDamaged)
    return `The sound is damaged. ${said || 'Of it '}${used} could be decoded and are used.`
  if (isShort) return `The sound is cut off. ${said}${used} are there and are used.`
  if (isCut) return `The sound is cut off: its last part is missing. The ${used} before are used.`
  return undefined
}

type Counted = { readonly samples: number; readonly isDamaged: boolean }

/**
 * Runs two programs of one core each in parallel: the header and, if the format is sure of its
 * length, the sample count. In other formats hours may be few bytes, so nothing is decoded before
 * the end is known. Errors are reported as if one ran after the other.
 */
async function probeAndCount(
  sound: SoundFile,
  work: SoundWork,
): Promise<Counted & { readonly header: SoundHeader }> {
  const refused = new AbortController()
  const signal = work.signal ? AbortSignal.any([work.signal, refused.signal]) : refused.signal
  const both = { ...work, signal }
  const isSure = sureOfLength.has(sound.format)
  const beside = isSure ? countSamples(sound, usual, both) : refuseTooLong(sound, 0, both)
  // The error surfaces below; until then nothing may be listening.
  beside.catch(() => undefined)
  try {
    const header = await probeSound(sound, work)
    if (header.seconds > mediaLimits.audioSeconds) throw tooLong(sound, header.seconds)
    const { track } = header
    const first = await beside
    if (!isSure && track > 0) await refuseTooLong(sound, track, work)
    const isRight = first !== undefined && track === 0
    const counted = isRight ? first : await countSamples(sound, { ...usual, track }, work)
    return { header, ...(await unlessDamaged(sound, { counted, header, work })) }
  } catch (error) {
    refused.abort(error)
    await beside.catch(() => undefined)
    throw error
  }
}

const usual: Decoding = { track: 0, stopsAtDamage: true }

type Count = { readonly samples: number } | { readonly fault: FarmError }

/** Counts again without stopping at damage, if there was any. */
async function unlessDamaged(
  sound: SoundFile,
  { counted, header, work }: { counted: Count; header: SoundHeader; work: SoundWork },
): Promise<Counted> {
  if ('samples' in counted) return { samples: counted.samples, isDamaged: false }
  const { track, channels } = header
  const decoding = { track, channels, stopsAtDamage: false }
  const again = await countSamples(sound, decoding, work)
  if ('fault' in again || again.samples === 0) throw counted.fault
  return { samples: again.samples, isDamaged: !isChanging(counted.fault) }
}

/** Returns whether all of it can be decoded, without a damaged packet. */
export async function isWhole(sound: SoundFile, work: SoundWork): Promise<boolean> {
  const counted = await countSamples(sound, usual, work)
  return 'samples' in counted && counted.samples > 0
}

/**
 * Formats whose length is known in advance: by checked tables, by their size, or by the last page.
 */
const sureOfLength: ReadonlySet<SoundFile['format']> = new Set(['wav', 'mp4', 'ogg'])

async function refuseTooLong(
  sound: SoundFile,
  track: number,
  { sandbox, signal }: SoundWork,
): Promise<undefined> {
  const { file, format } = sound
  const input = { file, flags: inputFlags(format, decoders), track: `0:a:${track}` }
  const around = { sandbox, ...(signal && { signal }) }
  if (await goesOnFor(input, mediaLimits.audioSeconds, around)) throw tooLong(sound)
}

async function countSamples(sound: SoundFile, decoding: Decoding, work: SoundWork): Promise<Count> {
  const ended = await decodeAll(sound, decoding, work)
  if (ended.timedOut)
    throw invalid(sound, 'must be decoded in good time. Got one that takes longer')
  const rule = `must be whole and undamaged. Got a damaged ${sound.format}`
  const fault = invalid(sound, rule, ended.stderrTail)
  if (ended.exitCode !== 0) return { fault }
  return { samples: Number(/frames encoded \((\d+) samples\)/.exec(ended.stderrTail)?.[1] ?? 0) }
}
