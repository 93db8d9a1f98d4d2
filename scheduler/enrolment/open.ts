import type { Db } from '../../store/db/database.ts'
import type { Enrolment } from './enrol.ts'
import type { EnrolmentConfig } from './settings.ts'

/** Loads what enrolment needs, which other schedulers do without: certificates and signed tokens. */
export async function openEnrolment(
  db: Db,
  { authority, cluster }: Pick<EnrolmentConfig, 'authority' | 'cluster'>,
): Promise<Enrolment> {
  const [enrol, podToken] = await Promise.all([import('./enrol.ts'), import('./pod-token.ts')])
  const podOf = cluster && podToken.createPodTokens(cluster)
  return new enrol.Enrolment({ db, authority, podOf })
}
