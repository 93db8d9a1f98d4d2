import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export const issuer = 'https://kubernetes.default.svc.cluster.local'

export type PodToken = {
  readonly uid?: string
  readonly account?: string
  readonly audience?: string
  readonly from?: string
  /** Seconds from now until it expires. */
  readonly lasts?: number
  readonly isBound?: boolean
  readonly namesKey?: boolean
}

/** A cluster's key, whose JWKS lies in a file, and tokens as the kubelet projects them. */
export async function startCluster(jwks: string) {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const key = { ...(await exportJWK(publicKey)), kid: randomUUID(), alg: 'ES256', use: 'sig' }
  writeFileSync(jwks, JSON.stringify({ keys: [key] }))
  return async function tokenOf({
    uid = randomUUID(),
    account = 'gpu',
    audience = 'farm-scheduler',
    from = issuer,
    lasts = 600,
    isBound = true,
    namesKey = true,
  }: PodToken = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const pod = { name: `worker-${uid.slice(0, 8)}`, uid }
    return await new SignJWT({
      'kubernetes.io': {
        namespace: 'farm-workers',
        ...(isBound && { pod }),
        serviceaccount: { name: account, uid: randomUUID() },
      },
    })
      .setProtectedHeader({ alg: 'ES256', ...(namesKey && { kid: key.kid }) })
      .setIssuer(from)
      .setSubject(`system:serviceaccount:farm-workers:${account}`)
      .setAudience(audience)
      .setIssuedAt(now - 1_000)
      .setExpirationTime(now + lasts)
      .sign(privateKey)
  }
}
