/** Speeds of `l`, and backwards of `j`; each press doubles the speed, up to this. */
const fastest = 4
/** A time may be this much before the frame that it names. */
const toleranceFrames = 0.01

/** Returns the speed after a key: `l` forwards, `j` backwards, `k` stops, or plays what stands. */
export function nextRate(rate: number, key: 'j' | 'k' | 'l'): number {
  if (key === 'k') return rate === 0 ? 1 : 0
  const way = key === 'l' ? 1 : -1
  return Math.sign(rate) === way ? way * Math.min(fastest, Math.abs(rate) * 2) : way
}

/** A film of so many frames and seconds. */
export type Film = { readonly frames: number; readonly seconds: number }

/** Returns the frame shown at a time. */
export function frameAt(time: number, { frames, seconds }: Film): number {
  const frame = Math.floor((time * frames) / seconds + toleranceFrames)
  return Math.max(0, Math.min(frames - 1, frame))
}

/** Returns the time of the frame that is `step` frames further; the middle of it, which is surely that frame. */
export function stepTime(time: number, { step, ...film }: Film & { step: number }): number {
  const frame = Math.max(0, Math.min(film.frames - 1, frameAt(time, film) + step))
  return ((frame + 0.5) * film.seconds) / film.frames
}

/** Returns the beginning of the frame shown, in whole milliseconds within the frame. */
export function snapshotTime(time: number, film: Film): number {
  const begin = (frameAt(time, film) * film.seconds) / film.frames
  return Math.max(0, Math.ceil(begin * 1000 - 1e-6)) / 1000
}
