import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { jsonb } from '../jsonb.ts'
import { prepared } from '../prepared.ts'
import type { ArtifactKind } from '../schema.ts'
import type { Artifact } from './get-artifacts.ts'

const replacedDays = 7

export type NewArtifact = Artifact & { readonly kind: ArtifactKind }

/**
 * Records objects in an account's store, one for each kind and digest. The newest object wins:
 * otherwise a row with a lost object could not be repaired by making it again. The previous object
 * is scheduled for deletion, late enough for every job that may still read it.
 */
export async function putArtifacts(
  db: Db,
  { accountId, artifacts }: { accountId: string; artifacts: readonly NewArtifact[] },
): Promise<void> {
  const digests = artifacts.map(({ digest }) => digest)
  await sql`
    ${prepared('put-artifacts')} with given as materialized (
      select kind, digest, object_key, bytes, facts::jsonb as facts
      from unnest(${artifacts.map(({ kind }) => kind)}::text[], ${digests}::text[],
        ${artifacts.map(({ objectKey }) => objectKey)}::text[],
        ${artifacts.map(({ bytes }) => bytes)}::bigint[],
        ${artifacts.map(({ facts }) => jsonb(facts))}::text[])
        as given (kind, digest, object_key, bytes, facts)
    ), before as (
      select known.object_key from artifacts known
        join given on given.kind = known.kind and given.digest = known.digest
      where known.account_id = ${accountId} and known.digest = any(${digests}::text[])
        and known.kind = any(array(select distinct kind from given))
        and known.object_key <> given.object_key
    ), doomed as (
      insert into doomed_objects (object_key, not_before)
      select object_key, now() + make_interval(days => ${replacedDays}) from before
      order by object_key
      on conflict (object_key) do nothing
    )
    insert into artifacts (account_id, kind, digest, object_key, bytes, facts)
    -- In one order, as everything that locks several rows: no deadlocks.
    select ${accountId}, kind, digest, object_key, bytes, facts from given order by kind, digest
    on conflict (account_id, kind, digest) do update set object_key = excluded.object_key,
      bytes = excluded.bytes, facts = excluded.facts, last_used_at = now()`.execute(db)
}
