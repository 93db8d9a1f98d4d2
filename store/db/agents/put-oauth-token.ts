import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { OAuthTokenKind } from '../schema.ts'

/**
 * Writes a token, or a new payload of it. A refresh token keeps its grant alive as long as itself.
 */
export async function putOAuthToken(
  db: Db,
  {
    sha256,
    kind,
    grantId,
    payload,
    seconds,
  }: {
    sha256: Buffer
    kind: OAuthTokenKind
    grantId: string | undefined
    payload: string
    seconds: number
  },
): Promise<void> {
  await sql`
    with kept as (
      update agent_grants set expires_at = now() + make_interval(secs => ${seconds})
      where id = ${grantId ?? null}::uuid and ${kind} = 'refresh'
    )
    insert into oauth_tokens (sha256, kind, grant_id, payload, expires_at)
    values (${sha256}, ${kind}, ${grantId ?? null}::uuid, ${payload},
      now() + make_interval(secs => ${seconds}))
    on conflict (sha256) do update set payload = excluded.payload,
      expires_at = excluded.expires_at`.execute(db)
}
