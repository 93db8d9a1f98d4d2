/**
 * Changes the tempo at the same pitch by overlapping similar pieces (WSOLA: Verhelst and Roelands,
 * ICASSP 1993). Sudden onsets are played unchanged, at the exact sample where they are due. Samples
 * are mono or interleaved stereo at 48 kHz.
 */
export type Tempo = {
  /** Takes the next samples of the source and returns the output that is ready. */
  push(source: Float32Array): Float32Array
  /** Ends the source and returns the rest, so that the total is exactly `length`. */
  end(): Float32Array
}

/** Half of a piece, and how far it may move to fit: a whole period of the lowest tones. */
const half = 720
const tolerance = 480

/** An onset has this many times the energy of the loudest of the blocks before. */
const block = 48
const blocksBefore = 25
const onsetFactor = 4
const silence = 1e-6 * block

/**
 * Creates a tempo. `length`: of the output, in samples a channel; `speed`: samples of the source
 * for each of them.
 */
export function createTempo({
  speed,
  channels,
  length,
}: {
  speed: number
  channels: number
  length: number
}): Tempo {
  const source = createSource(channels)
  const sourceLength = Math.ceil(length * speed)
  const kept = Math.ceil(half * speed) + 4 * (half + tolerance)
  let piece = 1
  /** Position at which the source goes on if no other piece begins. */
  let next = 0
  let closed = false

  /** Returns the middle in the source of a piece that stands at `at` of the output. */
  const middleOf = (at: number): number => {
    const held = source.onsetFor(at, speed)
    if (held !== undefined) return Math.round(at + held - held / speed)
    const last = Math.max(half, sourceLength - half)
    const ideal = Math.min(last, Math.round(at * speed))
    return ideal + source.bestShift(next, ideal - half)
  }

  const available = (): Float32Array => {
    const parts: Float32Array[] = []
    for (; (piece - 1) * half < length; piece += 1) {
      const at = piece * half
      const needed = Math.max(at * speed + 2 * half + tolerance, (at + half) * speed) + block
      if (!closed && source.end() < Math.min(needed, sourceLength)) break
      const middle = middleOf(at)
      const samples = Math.min(half, length - (piece - 1) * half)
      parts.push(source.crossFade(next, middle - half, samples))
      next = middle
      source.forget(Math.min(next, Math.floor(at * speed)) - kept)
    }
    return joined(parts)
  }

  return {
    push(samples) {
      source.add(samples)
      return available()
    },
    end() {
      closed = true
      return available()
    },
  }
}

/**
 * Buffers the needed part of the source by sample number; silent before its beginning and after its
 * end.
 */
function createSource(channels: number) {
  let first = 0
  let data = new Float32Array(0)
  let middle = new Float32Array(0)
  const onsets = [0]
  const loudness: number[] = []
  let measured = 0
  const end = () => first + middle.length
  const at = (sample: number) => middle[sample - first] ?? 0

  /** Returns the sample of a block at which it becomes loud. */
  const firstLoud = (from: number) => {
    const samples = Array.from({ length: block }, (_, i) => Math.abs(at(from + i)))
    const loud = Math.max(...samples) / 4
    return from + samples.findIndex((sample) => sample >= loud)
  }

  /** Measures the energy of each block and finds its leaps. */
  const listen = () => {
    for (; (measured + 1) * block <= end(); measured += 1) {
      let energy = 0
      for (let i = measured * block; i < (measured + 1) * block; i += 1) energy += at(i) ** 2
      const isOnset = energy > silence && energy > onsetFactor * Math.max(0, ...loudness)
      const isNew = measured * block - (onsets.at(-1) ?? 0) > blocksBefore * block
      if (isOnset && isNew) onsets.push(firstLoud(measured * block))
      loudness.push(energy)
      if (loudness.length > blocksBefore) loudness.shift()
    }
  }

  /** Returns the similarity of `half` samples, every `step`-th of them, independent of loudness. */
  const likeness = (one: number, other: number, step: number) => {
    let product = 0
    let energy = 0
    for (let i = 0; i < half; i += step) {
      const sample = at(other + i)
      product += at(one + i) * sample
      energy += sample * sample
    }
    return energy > 0 ? product / Math.sqrt(energy) : 0
  }

  const best = (shifts: readonly number[], of: (shift: number) => number) =>
    shifts.reduce(
      (found, shift) => {
        const value = of(shift)
        return value > found.value ? { shift, value } : found
      },
      { shift: shifts[shifts.length >> 1] ?? 0, value: 0 },
    ).shift

  return {
    end,
    add(samples: Float32Array) {
      data = joined([data, samples])
      const mono = new Float32Array(data.length / channels)
      mono.set(middle)
      for (let i = middle.length; i < mono.length; i += 1) {
        mono[i] = ((data[i * channels] ?? 0) + (data[i * channels + channels - 1] ?? 0)) / 2
      }
      middle = mono
      listen()
    },
    forget(before: number) {
      if (before - first < block * 1000) return
      data = data.slice((before - first) * channels)
      middle = middle.slice(before - first)
      first = before
      while ((onsets[1] ?? Number.POSITIVE_INFINITY) < before) onsets.shift()
    },
    /**
     * Returns the onset that a piece at `heard` must play in place, or would otherwise play
     * elsewhere.
     */
    onsetFor(heard: number, speed: number): number | undefined {
      const near = onsets.filter(
        (onset) =>
          Math.abs(heard - onset / speed) < half ||
          Math.abs(heard * speed - onset) < half + tolerance,
      )
      const away = (onset: number) => Math.abs(heard - onset / speed)
      return near.toSorted((a, b) => away(a) - away(b))[0]
    },
    /** Returns how far to move from `to`, so that it continues like `from`. */
    bestShift(from: number, to: number): number {
      const rough = best(coarse, (shift) => likeness(from, to + shift, 4))
      return best(
        fine.map((shift) => rough + shift),
        (shift) => likeness(from, to + shift, 1),
      )
    },
    /** Returns `count` samples that lead from one place of the source to another. */
    crossFade(from: number, to: number, count: number): Float32Array {
      const faded = new Float32Array(count * channels)
      for (let i = 0; i < faded.length; i += 1) {
        const sample = Math.floor(i / channels)
        const share = 0.5 - 0.5 * Math.cos((Math.PI * (sample + 0.5)) / half)
        const one = data[(from - first) * channels + i] ?? 0
        const other = data[(to - first) * channels + i] ?? 0
        faded[i] = one * (1 - share) + other * share
      }
      return faded
    },
  }
}

const coarse = Array.from({ length: tolerance / 2 + 1 }, (_, i) => i * 4 - tolerance)
const fine = [-3, -2, -1, 0, 1, 2, 3]

function joined(parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const whole = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
