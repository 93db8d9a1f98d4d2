import type { Db } from '../store/db/database.ts'
import { type AttemptView, listAttempts } from '../store/db/queue/list-attempts.ts'
import { withoutSecrets } from './public-url.ts'

/** Lists attempts; the addresses of media are shown without what may be secret in them. */
export async function attemptsOf(
  db: Db,
  asked: Parameters<typeof listAttempts>[1],
): Promise<readonly AttemptView[]> {
  const attempts = await listAttempts(db, asked)
  return attempts.map((each) => ({ ...each, url: each.url && withoutSecrets(each.url) }))
}
