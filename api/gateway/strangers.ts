import type { FastifyRequest } from 'fastify'
import { ProblemError } from './problem.ts'
import { neighbourhoodOf } from './remote-address.ts'

/** Addresses that are remembered at once. */
const maxAddresses = 10_000
const windowMs = 60_000

/** Probes of load balancers, and objects, whose signed URLs are a credential of their own. */
const uncounted = /^[/](healthz|readyz|objects[/].*)$/

type Window = { requests: number; readonly ends: number }

/**
 * Counts requests without a valid credential by address: those to public routes, and those refused
 * with 401. An address that is signed for what it gives is a credential. Each process counts for
 * itself in memory, so a flood of them causes no query. A valid credential is served from any
 * address.
 */
export class StrangerRate {
  readonly #perMinute: number
  readonly #windows = new Map<string, Window>()

  constructor(perMinute: number) {
    this.#perMinute = perMinute
  }

  /** @throws ProblemError too_many_requests */
  count(request: FastifyRequest): void {
    if (uncounted.test(request.routeOptions.url ?? '')) return
    const now = performance.now()
    const window = this.#windowOf(neighbourhoodOf(request), now)
    window.requests += 1
    if (window.requests <= this.#perMinute) return
    const rule = `An address may send ${this.#perMinute} requests a minute without a valid credential`
    const retryAfterSeconds = Math.max(1, Math.ceil((window.ends - now) / 1000))
    throw new ProblemError('too_many_requests', `${rule}. Got more`, { retryAfterSeconds })
  }

  #windowOf(address: string, now: number): Window {
    const known = this.#windows.get(address)
    if (known !== undefined && known.ends > now) return known
    if (this.#windows.size >= maxAddresses) this.#forget(now)
    const window = { requests: 0, ends: now + windowMs }
    this.#windows.set(address, window)
    return window
  }

  #forget(now: number): void {
    for (const [address, { ends }] of this.#windows) if (ends <= now) this.#windows.delete(address)
    if (this.#windows.size >= maxAddresses) this.#windows.clear()
  }
}
