/** Settings that docs/deployment.md recommends for KEDA and its HPA. */
const scaling = {
  /** The HPA's own loop. */
  everySeconds: 15,
  /** Most machines a turn adds: as many as there are, or this number. */
  leastAdded: 4,
  /** It scales down to the largest wish of this time. */
  stabilisationSeconds: 300,
  /** Time without work after which the pool goes to zero. */
  cooldownSeconds: 300,
  /** Share by which a wish must differ. */
  tolerance: 0.1,
}

/** Decides the machines of one pool as KEDA and the HorizontalPodAutoscaler do. */
export class Autoscaler {
  readonly #slots: number
  readonly #least: number
  readonly #most: number
  #wishes: { readonly at: number; readonly size: number }[] = []
  #activeAt = Number.NEGATIVE_INFINITY

  constructor({ slots, least, most }: { slots: number; least: number; most: number }) {
    this.#slots = slots
    this.#least = least
    this.#most = most
  }

  /** Machines from now on, for a metric of the whole pool; `isActive` is heard at once. */
  next({
    now,
    size,
    metric,
    isActive,
  }: {
    now: number
    size: number
    metric: number
    isActive: boolean
  }): number {
    if (isActive) this.#activeAt = now
    if (size === 0) return isActive ? Math.max(1, this.#least) : this.#least
    if (now % scaling.everySeconds !== 0) return size
    if (!isActive && now - this.#activeAt > scaling.cooldownSeconds) return this.#least
    const ratio = metric / this.#slots / size
    const wish = Math.abs(ratio - 1) <= scaling.tolerance ? size : Math.ceil(metric / this.#slots)
    const since = now - scaling.stabilisationSeconds
    this.#wishes = [...this.#wishes.filter(({ at }) => at > since), { at: now, size: wish }]
    const stable = Math.max(...this.#wishes.map((each) => each.size))
    const target = wish > size ? wish : Math.min(size, stable)
    const most = Math.min(this.#most, Math.max(2 * size, size + scaling.leastAdded))
    return Math.max(Math.min(target, most), this.#least, 1)
  }
}
