import { randomFrom } from './noise.ts'

export const sampleRate = 44_100

/** Samples of both sides, -1..1. */
export type Sound = { readonly left: Float64Array; readonly right: Float64Array }

const beatsPerMinute = 96
const beat = 60 / beatsPerMinute
/** Two bars of four beats for each chord of the bed; MIDI notes, lowest first. */
const chords: readonly (readonly number[])[] = [
  [41, 57, 60, 64, 67],
  [43, 55, 59, 62, 69],
  [45, 55, 60, 64, 71],
  [41, 57, 60, 64, 69],
  [48, 55, 59, 64, 67],
]

function frequencyOf(note: number): number {
  return 440 * 2 ** ((note - 69) / 12)
}

export function silence(seconds: number): Sound {
  const length = Math.round(seconds * sampleRate)
  return { left: new Float64Array(length), right: new Float64Array(length) }
}

/** Adds `tone(seconds since start)` to both sides; `pan` is -1 (left) to 1. */
export function play(
  sound: Sound,
  { at, length, gain, pan }: { at: number; length: number; gain: number; pan: number },
  tone: (time: number) => number,
): void {
  const first = Math.round(at * sampleRate)
  const last = Math.min(sound.left.length, first + Math.round(length * sampleRate))
  const left = gain * Math.sqrt((1 - pan) / 2)
  const right = gain * Math.sqrt((1 + pan) / 2)
  for (let index = Math.max(0, first); index < last; index += 1) {
    const value = tone((index - first) / sampleRate)
    sound.left[index] = (sound.left[index] ?? 0) + value * left
    sound.right[index] = (sound.right[index] ?? 0) + value * right
  }
}

/** Three slightly detuned voices with few overtones, slow to rise and to fall. */
export function pad(
  sound: Sound,
  {
    at,
    length,
    note,
    gain,
    pan,
  }: { at: number; length: number; note: number; gain: number; pan: number },
): void {
  const base = frequencyOf(note) * 2 * Math.PI
  play(sound, { at, length: length + 0.7, gain, pan }, (time) => {
    const envelope =
      Math.min(1, time / 0.35) * Math.min(1, Math.max(0, (length + 0.7 - time) / 0.7))
    const shimmer = 0.35 + 0.15 * Math.sin(time * 2.1)
    let value = 0
    for (const detune of [0.9975, 1, 1.0027]) {
      const phase = base * detune * time
      value += Math.sin(phase) + shimmer * Math.sin(2 * phase) + 0.12 * Math.sin(3 * phase)
    }
    return (value / 4) * envelope
  })
}

/** A soft struck bar: the fundamental rings, the overtone is gone at once. */
export function pluck(
  sound: Sound,
  { at, note, gain, pan }: { at: number; note: number; gain: number; pan: number },
): void {
  const turn = frequencyOf(note) * 2 * Math.PI
  play(sound, { at, length: 1.2, gain, pan }, (time) => {
    const strike = Math.min(1, time / 0.004)
    const ring = Math.exp(-time * 5) * Math.sin(turn * time)
    return strike * (ring + 0.35 * Math.exp(-time * 22) * Math.sin(turn * 3.01 * time))
  })
}

export function kick(sound: Sound, at: number): void {
  play(sound, { at, length: 0.3, gain: 0.24, pan: 0 }, (time) => {
    const phase = 2 * Math.PI * (48 * time + 3.4 * (1 - Math.exp(-time * 26)))
    return Math.min(1, time / 0.002) * Math.exp(-time * 11) * Math.sin(phase)
  })
}

export function shaker(
  sound: Sound,
  at: number,
  { gain, seed }: { gain: number; seed: number },
): void {
  const random = randomFrom(seed)
  let before = 0
  play(sound, { at, length: 0.09, gain, pan: seed % 2 === 0 ? 0.3 : -0.3 }, (time) => {
    const white = random() * 2 - 1
    const bright = white - before
    before = white
    return bright * Math.min(1, time / 0.012) * Math.exp(-time * 55)
  })
}

/** Adds the other side's echo to each side, three eighths late. */
export function echo(dry: Sound, amount: number): void {
  const delay = Math.round(beat * 0.75 * sampleRate)
  for (let index = delay; index < dry.left.length; index += 1) {
    dry.left[index] = (dry.left[index] ?? 0) + amount * (dry.right[index - delay] ?? 0)
    dry.right[index] = (dry.right[index] ?? 0) + amount * (dry.left[index - delay] ?? 0)
  }
}

/** Fades in over `rise` seconds, out over the last `fall`, and scales the loudest sample to `peak`. */
export function master(
  sound: Sound,
  { rise, fall, peak }: { rise: number; fall: number; peak: number },
): Sound {
  const total = sound.left.length / sampleRate
  let loudest = 0
  for (const side of [sound.left, sound.right]) {
    for (let index = 0; index < side.length; index += 1) {
      const time = index / sampleRate
      const envelope = Math.min(1, time / rise) * Math.min(1, ((total - time) / fall) ** 1.5)
      const value = Math.tanh((side[index] ?? 0) * 1.3) * envelope
      side[index] = value
      loudest = Math.max(loudest, Math.abs(value))
    }
  }
  for (const side of [sound.left, sound.right]) {
    for (let index = 0; index < side.length; index += 1)
      side[index] = (side[index] ?? 0) * (peak / loudest)
  }
  return sound
}

/** The bed of the launch film: pads, an arpeggio that comes in with the beat, and a last chord. */
export function launchBed(seconds: number): Sound {
  const bed = silence(seconds)
  const plucks = silence(seconds)
  const chordLength = beat * 4
  chords.forEach((chord, bar) => {
    const at = bar * chordLength
    chord.forEach((note, voice) => {
      const pan = voice === 0 ? 0 : (voice - 2.5) / 3
      pad(bed, { at, length: chordLength, note, gain: voice === 0 ? 0.16 : 0.075, pan })
    })
    for (let eighth = 0; eighth < 8; eighth += 1) {
      const note = chord[1 + ((eighth * 3) % (chord.length - 1))]
      if (note === undefined || (bar === 0 && eighth < 4)) continue
      const pan = eighth % 2 === 0 ? -0.4 : 0.4
      const strong = eighth % 4 === 0 ? 1.3 : 1
      pluck(plucks, { at: at + (eighth * beat) / 2, note: note + 12, gain: 0.085 * strong, pan })
    }
    for (let quarter = 0; quarter < 4; quarter += 1) {
      const isClosing = bar === chords.length - 1
      if (bar === 0 || isClosing) continue
      if (quarter % 2 === 0) kick(bed, at + quarter * beat)
      shaker(bed, at + (quarter + 0.5) * beat, { gain: 0.11, seed: bar * 8 + quarter })
      shaker(bed, at + quarter * beat, { gain: 0.05, seed: bar * 8 + quarter + 400 })
    }
  })
  echo(plucks, 0.34)
  for (let index = 0; index < bed.left.length; index += 1) {
    bed.left[index] = (bed.left[index] ?? 0) + (plucks.left[index] ?? 0)
    bed.right[index] = (bed.right[index] ?? 0) + (plucks.right[index] ?? 0)
  }
  return master(bed, { rise: 0.25, fall: 1.8, peak: 0.8 })
}

/** Converts to 16-bit little-endian PCM, left and right alternating. */
export function toPcm(sound: Sound): Buffer {
  const pcm = Buffer.alloc(sound.left.length * 4)
  for (let index = 0; index < sound.left.length; index += 1) {
    pcm.writeInt16LE(Math.round((sound.left[index] ?? 0) * 32_767), index * 4)
    pcm.writeInt16LE(Math.round((sound.right[index] ?? 0) * 32_767), index * 4 + 2)
  }
  return pcm
}
