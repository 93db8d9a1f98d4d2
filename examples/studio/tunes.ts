import { echo, kick, master, pad, pluck, type Sound, shaker, silence } from './music.ts'

/** A beat of 120 a minute for words that jump: kick on each beat, plucks on the eighths. */
export function wordBeat(seconds: number): Sound {
  const sound = silence(seconds)
  const plucks = silence(seconds)
  const beat = 0.5
  const notes = [45, 48, 52, 55, 57, 55, 52, 48]
  for (let n = 0; n * beat < seconds - 0.4; n += 1) {
    const at = n * beat
    kick(sound, at)
    shaker(sound, at + beat / 2, { gain: 0.16, seed: n * 2 + 50 })
    for (const half of [0, 1]) {
      const note = notes[(n * 2 + half) % notes.length] ?? 45
      const pan = half === 0 ? -0.35 : 0.35
      pluck(plucks, { at: at + (half * beat) / 2, note: note + 12, gain: 0.12, pan })
    }
    if (n % 4 === 0) {
      const root = [33, 36, 29, 31][(n / 4) % 4] ?? 33
      for (const [note, gain] of [
        [root, 0.22],
        [root + 24, 0.07],
        [root + 31, 0.07],
      ] as const) {
        pad(sound, { at, length: beat * 4, note, gain, pan: 0 })
      }
    }
  }
  return mixed(sound, plucks, { rise: 0.01, fall: 0.5 })
}

/** A slow tune with rests, so that its outline has hills and gaps. */
export function slowTune(seconds: number): Sound {
  const sound = silence(seconds)
  const plucks = silence(seconds)
  const tune = [
    ...[
      [0, 69],
      [0.5, 72],
      [0.75, 76],
      [1.5, 74],
      [2.25, 72],
      [2.5, 69],
      [3.25, 67],
    ],
    ...[
      [4, 65],
      [4.5, 69],
      [4.75, 72],
      [5.5, 71],
      [6, 67],
      [6.25, 64],
    ],
  ] as const
  for (const [at, note] of tune) {
    pluck(plucks, { at, note, gain: 0.34, pan: at % 1 === 0 ? -0.2 : 0.2 })
  }
  for (const [at, chord] of [
    [0, [45, 57, 60]],
    [2, [41, 53, 60]],
    [4, [38, 53, 57]],
    [5.75, [43, 55, 59]],
  ] as const) {
    for (const note of chord) pad(sound, { at, length: 1.6, note, gain: 0.07, pan: 0 })
  }
  return mixed(sound, plucks, { rise: 0.02, fall: 0.7 })
}

function mixed(sound: Sound, plucks: Sound, { rise, fall }: { rise: number; fall: number }): Sound {
  echo(plucks, 0.28)
  for (const side of ['left', 'right'] as const) {
    plucks[side].forEach((value, index) => {
      sound[side][index] = (sound[side][index] ?? 0) + value
    })
  }
  return master(sound, { rise, fall, peak: 0.75 })
}
