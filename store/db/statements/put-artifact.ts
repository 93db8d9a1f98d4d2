import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { prepared } from '../prepared.ts'
import type { ArtifactKind } from '../schema.ts'
import type { Artifact } from './get-artifacts.ts'

const replacedDays = 7

/**
 * Notes that an object is in the store. The newest object stands for a digest: were the first to
 * win, a row whose object was lost could never be repaired by making it again. The one before it is
 * doomed, late enough for every job that may still read it.
 */
export async function putArtifact(
  db: Db,
  { accountId, kind, ...artifact }: Artifact & { accountId: string; kind: ArtifactKind },
): Promise<void> {
  await sql`
    ${prepared('put-artifact')} with before as (
      select object_key from artifacts
      where account_id = ${accountId} and kind = ${kind} and digest = ${artifact.digest}
        and object_key <> ${artifact.objectKey}
    ), doomed as (
      insert into doomed_objects (object_key, not_before)
      select object_key, now() + make_interval(days => ${replacedDays}) from before
      on conflict (object_key) do nothing
    )
    insert into artifacts (account_id, kind, digest, object_key, bytes, facts)
    values (${accountId}, ${kind}, ${artifact.digest}, ${artifact.objectKey}, ${artifact.bytes},
      ${jsonb(artifact.facts)}::jsonb)
    on conflict (account_id, kind, digest) do update set object_key = excluded.object_key,
      bytes = excluded.bytes, facts = excluded.facts, last_used_at = now()`.execute(db)
}
