import { createPrivateKey, X509Certificate } from 'node:crypto'
import { EnvError } from '../../runtime/env.ts'
import type { Db } from '../../store/db/database.ts'
import type { Enrolment } from './enrol.ts'
import type { EnrolmentConfig } from './settings.ts'

/** @throws EnvError where the key cannot sign for the certificate: nodes would be refused later. */
async function checkPair({ cert, key }: EnrolmentConfig['authority']): Promise<void> {
  try {
    const certificate = new X509Certificate(cert)
    if (certificate.ca && certificate.checkPrivateKey(createPrivateKey(key))) {
      const { importKey } = await import('../../runtime/authority.ts')
      await importKey(key)
      return
    }
  } catch {
    // Neither the text nor the key belongs into a log.
  }
  const authority = 'the authority in FARM_ENROLMENT_CA_CERT (farm certs enrolment)'
  const rule = `the key of ${authority}, P-256 as PKCS #8`
  throw new EnvError('FARM_ENROLMENT_CA_KEY', rule, '(another)')
}

/** Loads what enrolment needs, which other schedulers do without: certificates and signed tokens. */
export async function openEnrolment(
  db: Db,
  { authority, cluster }: Pick<EnrolmentConfig, 'authority' | 'cluster'>,
): Promise<Enrolment> {
  await checkPair(authority)
  const [enrol, podToken] = await Promise.all([import('./enrol.ts'), import('./pod-token.ts')])
  const podOf = cluster && podToken.createPodTokens(cluster)
  return new enrol.Enrolment({ db, authority, podOf })
}
