import type { Db } from '../database.ts'

export type StoredClient = {
  readonly metadata: Record<string, unknown>
  readonly secret: string | null
}

/** Finds a client that registered itself. */
export async function findOAuthClient(db: Db, idSha256: Buffer): Promise<StoredClient | undefined> {
  return await db
    .selectFrom('oauth_clients')
    .select(['metadata', 'secret'])
    .where('id_sha256', '=', idSha256)
    .executeTakeFirst()
}
