import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** Kind of what an address gives without an account: a film to play, a bulk's files, an uploaded file. */
type GrantKind = 'play' | 'zip' | 'upload'

/** Subject of a grant: `id` of a job, bulk or upload. */
export type Granted = { readonly kind: GrantKind; readonly id: string }

/** `expired`: the signature is ours, but its time is over. */
export type Permission = 'granted' | 'expired' | 'refused'

/** Longest validity of an address; asking for its job or bulk makes a new one. */
const longestSeconds = 24 * 60 * 60

/** Makes the grant in an address, `<unix seconds>-<signature>`; it ends at `endsAt` or in a day. */
export function makeGrant(
  granted: Granted,
  { secret, endsAt, now }: { secret: string; endsAt: Date | null; now: Date },
): string {
  const latest = now.getTime() / 1000 + longestSeconds
  const expires = Math.floor(Math.min(latest, (endsAt?.getTime() ?? Infinity) / 1000))
  return `${expires}-${signatureOf(granted, { expires, secret })}`
}

/** Makes a grant that ends with its subject alone, for addresses that templates keep. */
export function makeLastingGrant(granted: Granted, { secret }: { secret: string }): string {
  return signatureOf(granted, { expires: never, secret })
}

export function isLastingGrant(
  granted: Granted,
  { grant, secret }: { grant: string; secret: string },
): boolean {
  const right = Buffer.from(makeLastingGrant(granted, { secret }))
  const given = Buffer.from(grant)
  return given.length === right.length && timingSafeEqual(given, right)
}

export function judgeGrant(
  granted: Granted,
  { grant, now, secret }: { grant: string; now: Date; secret: string },
): Permission {
  const [, seconds = '', given = ''] = /^(\d{1,12})-([0-9a-f]{32})$/.exec(grant) ?? []
  const right = signatureOf(granted, { expires: Number(seconds), secret })
  if (given.length !== right.length || Number(seconds) === never) return 'refused'
  if (!timingSafeEqual(Buffer.from(given), Buffer.from(right))) return 'refused'
  return Number(seconds) * 1000 > now.getTime() ? 'granted' : 'expired'
}

/** Judges the address of a request to a route with `grant` and the parameter `of` that it is granted for. */
export function grantedRequests(
  { kind, of }: { readonly kind: GrantKind; readonly of: string },
  { secret }: { readonly secret: string },
): (request: FastifyRequest) => boolean {
  return ({ params }) => {
    const { [of]: id = '', grant = '' } = params as Readonly<Record<string, string>>
    const granted = { kind, id }
    if (isLastingGrant(granted, { grant, secret })) return true
    return judgeGrant(granted, { grant, now: new Date(), secret }) === 'granted'
  }
}

/** In place of an end; no grant that ends has it. */
const never = 0

/** 128 bits: as many as nobody guesses, in an address that people copy. */
const signatureDigits = 32

function signatureOf(
  { kind, id }: Granted,
  { expires, secret }: { expires: number; secret: string },
): string {
  const text = JSON.stringify([kind, id, expires])
  return createHmac('sha256', secret).update(text).digest('hex').slice(0, signatureDigits)
}
