import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import type { ArtifactKind } from '../schema.ts'
import type { Artifact } from './get-artifacts.ts'

/**
 * Notes that an object is in the store. The newest object stands for a digest: were the first to
 * win, a row whose object was lost could never be repaired by making it again.
 */
export async function putArtifact(
  db: Db,
  { accountId, kind, ...artifact }: Artifact & { accountId: string; kind: ArtifactKind },
): Promise<void> {
  await sql`
    insert into artifacts (account_id, kind, digest, object_key, bytes, facts)
    values (${accountId}, ${kind}, ${artifact.digest}, ${artifact.objectKey}, ${artifact.bytes},
      ${jsonb(artifact.facts)}::jsonb)
    on conflict (account_id, kind, digest) do update set object_key = excluded.object_key,
      bytes = excluded.bytes, facts = excluded.facts, last_used_at = now()`.execute(db)
}
