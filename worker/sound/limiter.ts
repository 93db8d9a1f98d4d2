/**
 * Keeps a sum of sounds below full scale without clicks or pumping: the gain falls smoothly within
 * the lookahead before a peak and recovers slowly. While nothing reaches the ceiling, samples pass
 * unchanged.
 *
 * The gain of a sample is the least ceiling / peak of the next `lookahead` samples, released
 * exponentially. It is then averaged over the lookahead, so that it is reached when the peak comes.
 */

const ceiling = 10 ** (-0.1 / 20)
const lookahead = 240
const releaseSamples = 7_200
const releaseStep = 1 - Math.exp(-1 / releaseSamples)

export type Limiter = {
  /** Takes interleaved stereo and returns as many samples, `delay` later: silence comes first. */
  process(block: Float32Array): Float32Array
  /** Delay in samples. */
  readonly delay: number
}

export function createLimiter(): Limiter {
  const delayed = new Float32Array(lookahead * 2)
  // One more than the lookahead: the leaving sample still counts.
  const needed = new Float64Array(lookahead + 1).fill(1)
  const reductions = new Float64Array(lookahead)
  let at = 0
  let neededAt = 0
  let sum = 0
  let active = 0
  let released = 1

  /** Returns the minimum of the window; scanned only while something in it is below 1. */
  const least = () => {
    let gain = 1
    for (const each of needed) if (each < gain) gain = each
    return gain
  }
  const gainAt = (peak: number): number => {
    if ((needed[neededAt] ?? 1) < 1) active -= 1
    const need = peak > ceiling ? ceiling / peak : 1
    needed[neededAt] = need
    neededAt = (neededAt + 1) % needed.length
    if (need < 1) active += 1
    if (active === 0 && released === 1 && sum === 0) return 1
    const target = active === 0 ? 1 : least()
    released = target < released ? target : released + (target - released) * releaseStep
    if (1 - released < 1e-7) released = 1
    sum += 1 - released - (reductions[at] ?? 0)
    reductions[at] = 1 - released
    if (released === 1 && sum < 1e-9) {
      sum = 0
      reductions.fill(0)
    }
    return 1 - sum / lookahead
  }
  return {
    delay: lookahead,
    process(block) {
      const result = new Float32Array(block.length)
      for (let i = 0; i < block.length; i += 2) {
        const left = block[i] ?? 0
        const right = block[i + 1] ?? 0
        const gain = gainAt(Math.max(Math.abs(left), Math.abs(right)))
        result[i] = (delayed[at * 2] ?? 0) * gain
        result[i + 1] = (delayed[at * 2 + 1] ?? 0) * gain
        delayed[at * 2] = left
        delayed[at * 2 + 1] = right
        at = (at + 1) % lookahead
      }
      return result
    },
  }
}
