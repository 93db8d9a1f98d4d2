import { play, type Sound, silence } from './music.ts'
import { randomFrom } from './noise.ts'

/** Waves on a beach: noise that swells and turns darker as it runs out. */
export function surf(seconds: number): Sound {
  const sound = silence(seconds)
  for (const [pan, seed] of [
    [-0.6, 3],
    [0.6, 4],
  ] as const) {
    const random = randomFrom(seed)
    let soft = 0
    play(sound, { at: 0, length: seconds, gain: 1.6, pan }, (time) => {
      const swell = 0.5 - 0.5 * Math.cos((time / 2.6 + 0.2 * pan) * 2 * Math.PI)
      soft += (0.04 + 0.2 * swell) * (random() * 2 - 1 - soft)
      return soft * (0.12 + 0.5 * swell ** 2)
    })
  }
  return sound
}

/** Wheels over the joints of a track: two knocks each `every` seconds over a low rumble. */
export function rails(seconds: number, every: number): Sound {
  const sound = silence(seconds)
  const random = randomFrom(8)
  let low = 0
  play(sound, { at: 0, length: seconds, gain: 1.4, pan: 0 }, () => {
    low += 0.012 * (random() * 2 - 1 - low)
    return low
  })
  for (let at = every / 2; at < seconds; at += every) {
    for (const [late, pan] of [
      [0, -0.25],
      [0.11, 0.25],
    ] as const) {
      const grit = randomFrom(Math.round(at * 1000))
      play(sound, { at: at + late, length: 0.16, gain: 0.5, pan }, (time) => {
        const knock = Math.sin(2 * Math.PI * (150 * time + 2 * (1 - Math.exp(-time * 60))))
        return (
          Math.min(1, time / 0.001) *
          (Math.exp(-time * 34) * knock + 0.3 * Math.exp(-time * 90) * (grit() * 2 - 1))
        )
      })
    }
  }
  return sound
}

/** Returns the loudness of `columns` even parts of a sound, 0..1. */
export function loudness(sound: Sound, columns: number): number[] {
  const length = sound.left.length / columns
  const levels = Array.from({ length: columns }, (_, n) => {
    let sum = 0
    for (let at = Math.floor(n * length); at < Math.floor((n + 1) * length); at += 1) {
      sum += (sound.left[at] ?? 0) ** 2 + (sound.right[at] ?? 0) ** 2
    }
    return Math.sqrt(sum / length)
  })
  const loudest = Math.max(...levels)
  return levels.map((level) => level / loudest)
}
