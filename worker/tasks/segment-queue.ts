import type { Segment } from '../../core/plan/plan.ts'

/**
 * A shard's segments in the order of rendering. Each is chosen when a lane is free for it, so that
 * one that a player waits for waits behind none that has not begun.
 */
export class SegmentQueue {
  readonly #segments: readonly Segment[]
  readonly #wanted: () => readonly number[]
  /** Places of those that have not begun. */
  readonly #order: number[]
  #promised = 0

  /** `wanted`: segments that a player waits for, by their index in the film. */
  constructor(segments: readonly Segment[], wanted: () => readonly number[]) {
    this.#segments = segments
    this.#wanted = wanted
    // The longest begin first, so that the lanes end at nearly the same time. Segments that may wait
    // for another's encoder come last.
    const cost = segments.map(({ encoded }, at) => (isSameStill(segments, at) ? 0 : encoded))
    this.#order = segments.map((_, at) => at).sort((a, b) => (cost[b] ?? 0) - (cost[a] ?? 0))
  }

  /** Promises a segment to a line that will wait for a lane; false when all are promised. */
  promise(): boolean {
    if (this.#promised >= this.#order.length) return false
    this.#promised += 1
    return true
  }

  /** Size of the segment that would be taken now; infinite where a player waits for it. */
  nextSize(): number {
    const at = this.#nextPlace()
    if (this.#isUrgent(at)) return Number.POSITIVE_INFINITY
    return this.#segments[this.#order[at] ?? 0]?.encoded ?? 0
  }

  /** Takes the segment that was promised, by its place in the shard. */
  take(): number {
    const [at] = this.#order.splice(this.#nextPlace(), 1)
    if (at === undefined) throw new Error('A segment must be promised before it is taken')
    this.#promised -= 1
    return at
  }

  /** A player waits for it, or begins with it. */
  #isUrgent(place: number): boolean {
    const index = this.#segments[this.#order[place] ?? -1]?.index ?? -1
    return index === 0 || this.#wanted().includes(index)
  }

  /** Wanted segments are next, then the film's first, then those in order. */
  #nextPlace(): number {
    const wanted = this.#wanted()
    const find = (isNext: (index: number) => boolean) =>
      this.#order.findIndex((at) => isNext(this.#segments[at]?.index ?? -1))
    const place = find((index) => wanted.includes(index))
    return Math.max(0, place < 0 ? find((index) => index === 0) : place)
  }
}

/**
 * Returns whether an earlier segment is the same still, a frame longer or shorter, as far as is
 * known without painting.
 */
function isSameStill(segments: readonly Segment[], at: number): boolean {
  const of = (segment: Segment | undefined) => JSON.stringify([segment?.pictures, segment?.pixels])
  const one = segments[at]
  const isRepeated = one !== undefined && one.pictures === 1 && one.encoded < one.frames
  return (
    isRepeated &&
    segments
      .slice(0, at)
      .some((other) => of(other) === of(one) && Math.abs(other.frames - one.frames) === 1)
  )
}
