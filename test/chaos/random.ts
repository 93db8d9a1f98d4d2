/** A pseudo-random sequence that follows from its seed alone. */
export type Random = {
  /** Returns a number from `from` up to, not including, `to`. */
  between(from: number, to: number): number
  /** True with this probability, 0..1. */
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  shuffled<T>(items: readonly T[]): T[]
}

/** mulberry32: one 32-bit word of state, good enough to draw faults from. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let word = Math.imul(state ^ (state >>> 15), state | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32
  }
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(next() * items.length)]
    if (item === undefined) throw new Error('There must be something to pick from')
    return item
  }
  return {
    between: (from, to) => from + next() * (to - from),
    chance: (probability) => next() < probability,
    pick,
    shuffled(items) {
      const left = [...items]
      return items.map(() => {
        const item = pick(left)
        left.splice(left.indexOf(item), 1)
        return item
      })
    },
  }
}
