import { randomBytes } from 'node:crypto'
import { sha256Bytes } from '../../runtime/sha256.ts'
import type { Db } from '../../store/db/database.ts'
import { refreshSession, type SessionKind } from '../../store/db/sessions/refresh-session.ts'
import { sealUnder, unsealUnder } from '../oauth/token-seal.ts'

const refreshBytes = 32
/** Tokens of one session that may follow each other within the moment of grace. */
const mostHops = 5

export function makeRefreshToken(): { readonly refreshToken: string; readonly hash: Buffer } {
  const refreshToken = `rft_${randomBytes(refreshBytes).toString('hex')}`
  return { refreshToken, hash: sha256Bytes(refreshToken) }
}

/**
 * Exchanges a refresh token for the next one. A token that was used a moment ago gets the newest token
 * of its session, so that racing tabs end with the same cookie.
 * @returns undefined when the token is not accepted
 */
export async function exchangeRefreshToken(
  db: Db,
  { given, userAgent, of = 'user' }: { given: string; userAgent: string; of?: SessionKind },
): Promise<{ readonly sessionId: string; readonly refreshToken: string } | undefined> {
  const { refreshToken, hash } = makeRefreshToken()
  const next = { sha256: hash, sealed: sealUnder(given, refreshToken) }
  let token = given
  let found = await refreshSession(db, { token: sha256Bytes(given), userAgent, next, of })
  if (found?.outcome === 'replaced') return { sessionId: found.sessionId, refreshToken }
  for (let hop = 0; found?.outcome === 'repeated' && hop < mostHops; hop += 1) {
    token = unsealUnder(token, found.successor)
    found = await refreshSession(db, { token: sha256Bytes(token), userAgent, of })
  }
  return found?.outcome === 'newest'
    ? { sessionId: found.sessionId, refreshToken: token }
    : undefined
}
