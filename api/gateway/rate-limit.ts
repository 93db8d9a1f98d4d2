import type { FastifyReply, FastifyRequest } from 'fastify'
import { FarmError } from '../../core/errors.ts'
import { type Permits, takePermits } from '../../store/db/accounts/take-permits.ts'
import type { GatewayContext } from '../context.ts'
import { innerCallsCovered } from './agent-calls.ts'
import { type Caller, credentialIdOf } from './caller.ts'

/** Subjects that are cached at once; others are read from the database again. */
const maxSubjects = 10_000
/** Permits are taken from the minute in fortieths, so that most requests need no query. */
const partsOfMinute = 40

/** Requests a minute of an operator: pages of a few tabs, and programs. */
const operatorPerMinute = 1_200
/** Requests a minute where the plans' limits are not enforced. */
const beyondAny = 1_000_000_000

type Limit = { readonly subject: string; readonly perMinute: number }

/** Permits that this replica still has of a subject's minute. */
type Stock = {
  permits: number
  /** Rest for all replicas at the last query. */
  left: number
  /** Moment by `performance.now()`. */
  minuteEnds: number
  taking: Promise<void> | undefined
}

/**
 * Limits requests a minute, for each key and for each account over all replicas: permits taken by
 * one replica (`takePermits`) are gone for the others. Never allows more than the limit; somewhat
 * less when replicas hold permits that their customers do not use.
 */
export function limitRate({
  db,
  hasRateLimits,
}: Pick<GatewayContext, 'db' | 'hasRateLimits'>): (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void> {
  const stocks = new Map<string, Stock>()
  return async (request, reply) => {
    if (isCovered(request)) return
    let tightest: Spent | undefined
    for (const { subject, perMinute } of limitsOf(request)) {
      const spent = await spend({ subject, perMinute: hasRateLimits ? perMinute : beyondAny })
      const isTighter =
        tightest === undefined || spent.left / spent.perMinute < tightest.left / tightest.perMinute
      if (isTighter || !spent.isServed) tightest = spent
      if (!spent.isServed) break
    }
    if (tightest) setHeaders(reply, tightest)
    if (tightest?.isServed === false) {
      reply.header('retry-after', Math.max(1, Math.ceil(tightest.secondsLeft)))
      const rule = `${tightest.subject} may send ${tightest.perMinute} requests a minute`
      throw new FarmError('too_many_requests', `The ${rule}. Got more`)
    }
  }

  async function spend({ subject, perMinute }: Limit): Promise<Spent> {
    for (;;) {
      const stock = stockOf(subject)
      const secondsLeft = (stock.minuteEnds - performance.now()) / 1000
      if (secondsLeft > 0 && stock.permits > 0) {
        stock.permits -= 1
        const left = stock.left + stock.permits
        return { ...spentOf(subject, perMinute), left, secondsLeft, isServed: true }
      }
      if (secondsLeft > 0 && stock.left === 0) {
        return { ...spentOf(subject, perMinute), left: 0, secondsLeft, isServed: false }
      }
      const want = Math.ceil(perMinute / partsOfMinute)
      stock.taking ??= takePermits(db, { subject, limit: perMinute, want })
        .then((permits) => refill(stock, permits))
        .finally(() => {
          stock.taking = undefined
        })
      await stock.taking
    }
  }

  function stockOf(subject: string): Stock {
    const known = stocks.get(subject)
    if (known) return known
    if (stocks.size >= maxSubjects) {
      const now = performance.now()
      for (const [key, { minuteEnds }] of stocks) if (minuteEnds <= now) stocks.delete(key)
      if (stocks.size >= maxSubjects) stocks.clear()
    }
    const stock: Stock = { permits: 0, left: 0, minuteEnds: 0, taking: undefined }
    stocks.set(subject, stock)
    return stock
  }
}

/** The agent's request has paid for the calls that answer it, if they are not very many. */
function isCovered({ innerOf }: FastifyRequest): boolean {
  return innerOf !== undefined && innerOf.inner <= innerCallsCovered
}

function refill(stock: Stock, { granted, left, secondsLeft }: Permits): void {
  stock.permits = granted
  stock.left = left
  stock.minuteEnds = performance.now() + secondsLeft * 1000
}

type Spent = {
  readonly subject: string
  readonly perMinute: number
  readonly left: number
  readonly secondsLeft: number
  readonly isServed: boolean
}

/** Shows the subject's kind: `account:<id>` is "account". */
function spentOf(subject: string, perMinute: number) {
  return { subject: subject.slice(0, subject.indexOf(':')), perMinute }
}

/** A key or agent has a limit of its own, so that it cannot use up the account's. */
function limitsOf({ account: caller, operator }: Partial<FastifyRequest>): Limit[] {
  if (operator) {
    return [{ subject: `operator:${operator.operatorId}`, perMinute: operatorPerMinute }]
  }
  if (!caller) return []
  const { accountId, credential, limits }: Caller = caller
  const account = { subject: `account:${accountId}`, perMinute: limits.requestsPerMinute }
  if (credential.kind === 'session') return [account]
  const own = `${credential.kind}:${credentialIdOf(credential)}`
  return [{ subject: own, perMinute: limits.keyRequestsPerMinute }, account]
}

/** Headers of https://www.ietf.org/archive/id/draft-ietf-httpapi-ratelimit-headers-07.html */
function setHeaders(reply: FastifyReply, { perMinute, left, secondsLeft }: Spent): void {
  reply.header('ratelimit-limit', perMinute)
  reply.header('ratelimit-remaining', left)
  reply.header('ratelimit-reset', Math.ceil(secondsLeft))
  reply.header('ratelimit-policy', `${perMinute};w=60`)
}
