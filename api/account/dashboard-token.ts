import { hkdfSync } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { SessionKind } from '../../store/db/sessions/refresh-session.ts'

/**
 * Tokens that a browser sends instead of a password. A token names a session and nothing else of
 * its user.
 */
export type DashboardTokens = {
  readonly lifeSeconds: number
  make(sessionId: string): Promise<string>
  /** Returns the session of a token that this farm made and that has not expired. */
  read(token: string): Promise<string | undefined>
}

const usualSeconds = 15 * 60
const algorithm = 'HS256'
/** A token of one kind is none of the other: its audience differs, and so does the key. */
const audiences = { user: 'farm dashboard', operator: 'farm operator' } as const
const keyBytes = 32

/** The farm's secret also signs object URLs, so tokens use a key derived from it. */
export function createDashboardTokens(
  secret: string,
  lifeSeconds = usualSeconds,
  of: SessionKind = 'user',
): DashboardTokens {
  const audience = audiences[of]
  const key = new Uint8Array(hkdfSync('sha256', secret, '', audience, keyBytes))
  return {
    lifeSeconds,
    async make(sessionId) {
      return await new SignJWT()
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setSubject(sessionId)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(`${lifeSeconds} s`)
        .sign(key)
    },
    async read(token) {
      try {
        const options = { algorithms: [algorithm], audience, requiredClaims: ['sub', 'exp'] }
        const { payload } = await jwtVerify(token, key, options)
        return payload.sub
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}
