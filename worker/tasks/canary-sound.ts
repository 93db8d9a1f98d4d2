import { canaryTones } from '../../core/fleet/canary.ts'
import { filmFormats, type SoundEncoder } from '../../core/plan/formats.ts'
import { audioSampleRate } from '../../core/plan/plan.ts'
import { sounds } from '../encode/container.ts'
import type { OneShot } from '../process/one-shot.ts'

/** Format of the canary's sound: 32-bit floats, and ffmpeg's arguments that read and write it. */

const channels = canaryTones.hz.length
const pcm = ['-f', 'f32le', '-ar', String(audioSampleRate), '-ac', String(channels)]
/** Ratio of identical sounds, dB; anything beyond is meaningless. */
const bestSnr = 99
/** Samples after which both tones repeat: at 48 kHz, every 500th of a second. */
const periodOfBoth = 96

export function canarySound(): Buffer {
  const samples = new Float32Array(canaryTones.seconds * audioSampleRate * channels)
  for (let at = 0; at < samples.length; at += 1) {
    const hz = canaryTones.hz[at % channels] ?? 0
    samples[at] = toneAt(hz, Math.floor(at / channels))
  }
  return Buffer.from(samples.buffer)
}

export function encodeSound(encoder: SoundEncoder, { from, to }: { from: string; to: string }) {
  const container = Object.entries(filmFormats).find(([, { sound }]) => sound === encoder)?.[0]
  if (container === undefined) throw new Error(`Some format must have ${encoder}. None has`)
  const options = [...sounds[encoder].args, '-vn', '-f', container]
  return shot({ from, inputOptions: pcm, to, options })
}

export function decodeSound({ from, to }: { from: string; to: string }) {
  const inputOptions = ['-xerror', '-err_detect', 'explode']
  return shot({ from, inputOptions, to, options: ['-vn', ...pcm] })
}

function shot({
  from,
  inputOptions,
  to,
  options,
}: {
  from: string
  inputOptions: readonly string[]
  to: string
  options: readonly string[]
}): OneShot {
  return {
    inputs: [{ source: from, options: ['-nostdin', ...inputOptions] }],
    outputs: [{ target: to, options }],
  }
}

/**
 * Returns the length of the decoded sound, seconds, and its signal-to-noise ratio in the middle,
 * dB, of the worse channel. Its start does not matter: every encoder adds priming samples.
 */
export function soundLikeness(decoded: Buffer): { seconds: number; snr: number } {
  const length = Math.floor(decoded.length / 4 / channels)
  const from = Math.floor(length / 4)
  const count = Math.floor(length / 2 / periodOfBoth) * periodOfBoth
  const ratios = canaryTones.hz.map((hz, channel) =>
    snrOf(
      Float64Array.from({ length: count }, (_, n) =>
        decoded.readFloatLE(((from + n) * channels + channel) * 4),
      ),
      hz,
    ),
  )
  return { seconds: length / audioSampleRate, snr: count === 0 ? 0 : Math.min(...ratios) }
}

/** Returns the ratio for a tone of known level and best-fitting phase. */
function snrOf(samples: Float64Array, hz: number): number {
  let [inPhase, across] = [0, 0]
  for (const [n, sample] of samples.entries()) {
    inPhase += sample * Math.sin(angleAt(hz, n))
    across += sample * Math.cos(angleAt(hz, n))
  }
  const phase = Math.atan2(across, inPhase)
  let [tone, rest] = [0, 0]
  for (const [n, sample] of samples.entries()) {
    const expected = canaryTones.level * Math.sin(angleAt(hz, n) + phase)
    tone += expected ** 2
    rest += (sample - expected) ** 2
  }
  if (rest === 0) return bestSnr
  // Damaged samples give NaN, which counts as 0.
  return Math.min(bestSnr, Math.max(0, 10 * Math.log10(tone / rest))) || 0
}

function toneAt(hz: number, sample: number): number {
  return canaryTones.level * Math.sin(angleAt(hz, sample))
}

function angleAt(hz: number, sample: number): number {
  return (2 * Math.PI * hz * sample) / audioSampleRate
}
