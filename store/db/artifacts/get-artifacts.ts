import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'
import type { ArtifactKind } from '../schema.ts'

export type Artifact = {
  readonly digest: string
  readonly objectKey: string
  readonly bytes: number
  readonly facts: unknown
}

/**
 * Finds an account's stored objects by digest. Each look counts as a use, recorded hourly, so that
 * retention can drop unused ones.
 */
export async function getArtifacts(
  db: Db,
  {
    accountId,
    kind,
    digests,
  }: { accountId: string; kind: ArtifactKind; digests: readonly string[] },
): Promise<ReadonlyMap<string, Artifact>> {
  const { rows } = await sql<Artifact>`
    ${prepared('get-artifacts')} with asked as (
      select account_id, kind, digest from artifacts
      where account_id = ${accountId} and kind = ${kind} and digest = any(${digests})
    ), used as (
      update artifacts set last_used_at = now() from asked
      where artifacts.account_id = asked.account_id and artifacts.kind = asked.kind
        and artifacts.digest = asked.digest
        and artifacts.last_used_at < now() - interval '1 hour'
    )
    select a.digest, a.object_key as "objectKey", a.bytes, a.facts
    from artifacts a join asked using (account_id, kind, digest)`.execute(db)
  return new Map(rows.map((artifact) => [artifact.digest, artifact]))
}
