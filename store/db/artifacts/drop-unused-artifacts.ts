import { sql } from 'kysely'
import { plans } from '../../../core/accounts/plans.ts'
import type { Db } from '../database.ts'

/** Equals the shortest plan's retention, so that no film survives in its segments. */
const unusedDays = 7
/** A job that found an artifact just before it was dropped has a day to read it. */
const graceHours = 24
const gigabyte = 1e9

/**
 * Drops artifacts that no job has used lately, and an account's excess over its plan, least
 * recently used first. Uploads count to it, and stay. Schedules deletion of their objects.
 * Artifacts that an open job may have found stay. Uses are recorded hourly, so these are all used
 * since an hour before the oldest open job.
 * @returns how many
 */
export async function dropUnusedArtifacts(
  db: Db,
  {
    limit,
    bytesMax = (plan) => plans[plan].storedGigabytes * gigabyte,
  }: { limit: number; bytesMax?: (plan: keyof typeof plans) => number },
): Promise<number> {
  const names = Object.keys(plans) as (keyof typeof plans)[]
  const { rows } = await sql<{ dropped: number }>`
    with allowed as (
      select * from unnest(${names}::text[], ${names.map(bytesMax)}::bigint[]) as p (plan, bytes)
    ), full_accounts as (
      select stored.account_id, stored.bytes + uploaded.bytes - allowed.bytes as excess,
        least(now(), (
          select min(created_at) from jobs
          where jobs.account_id = stored.account_id and finished_at is null
        )) - interval '1 hour' as needed_since
      from (select account_id, sum(bytes) as bytes from artifacts group by account_id) as stored
      join accounts on accounts.id = stored.account_id
      cross join lateral (
        select coalesce(sum(bytes), 0) as bytes from uploads
        where uploads.account_id = stored.account_id and deleted_at is null
      ) as uploaded
      join allowed on allowed.plan = accounts.plan
        and stored.bytes + uploaded.bytes > allowed.bytes
    ), beyond as (
      select account_id, kind, digest from (
        select account_id, kind, digest, excess,
          sum(artifacts.bytes) over (
            partition by account_id order by last_used_at, kind, digest
          ) - artifacts.bytes as bytes_before
        from artifacts join full_accounts using (account_id)
        where last_used_at < needed_since
      ) as ranked
      where bytes_before < excess
    ), unused as (
      select account_id, kind, digest from artifacts
      where last_used_at < now() - make_interval(days => ${unusedDays})
        or (account_id, kind, digest) in (select account_id, kind, digest from beyond)
      order by last_used_at limit ${limit} for update skip locked
    ), dropped as (
      delete from artifacts using unused
      where artifacts.account_id = unused.account_id and artifacts.kind = unused.kind
        and artifacts.digest = unused.digest
      returning object_key
    ), doomed as (
      insert into doomed_objects (object_key, not_before)
      select distinct object_key, now() + make_interval(hours => ${graceHours}) from dropped
      on conflict (object_key) do nothing
    )
    select count(*) as dropped from dropped`.execute(db)
  return rows[0]?.dropped ?? 0
}
