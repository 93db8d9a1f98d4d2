import { hkdfSync } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'

/** What a browser shows instead of a password. It names a session and nothing else of its user. */
export type DashboardTokens = {
  readonly lifeSeconds: number
  make(sessionId: string): Promise<string>
  /** The session of a token that this farm made and whose time is not over. */
  read(token: string): Promise<string | undefined>
}

const usualSeconds = 15 * 60
const algorithm = 'HS256'
const audience = 'farm dashboard'
const keyBytes = 32

/** The farm's secret also signs object URLs, so tokens get a key of their own out of it. */
export function createDashboardTokens(secret: string, lifeSeconds = usualSeconds): DashboardTokens {
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
