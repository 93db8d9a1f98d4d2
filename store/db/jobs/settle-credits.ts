import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { prepared } from '../prepared.ts'
import type { EndedJob } from './end-jobs.ts'

/**
 * Turns the hold of each job into a capture of its charge and a release of the rest, in one
 * statement. Belongs in the transaction that ends the jobs.
 */
export async function settleCredits(
  db: Db,
  {
    accountId,
    jobs,
  }: {
    accountId: string
    jobs: readonly Pick<EndedJob, 'jobId' | 'creditsReserved' | 'creditsCharged'>[]
  },
): Promise<void> {
  await sql`
    ${prepared('settle-credits')} with job as materialized (
      select * from unnest(${jobs.map(({ jobId }) => jobId)}::uuid[],
        ${jobs.map(({ creditsReserved }) => creditsReserved)}::bigint[],
        ${jobs.map(({ creditsCharged }) => creditsCharged)}::bigint[])
        with ordinality as job (id, reserved, charge, place)
    ), account as (
      update accounts set credits_balance = credits_balance - total.charge,
        credits_reserved = credits_reserved - total.reserved
      from (
        select sum(charge)::bigint as charge, sum(reserved)::bigint as reserved from job
      ) as total
      where id = ${accountId} returning id
    )
    insert into credit_entries (account_id, job_id, kind, balance_change, reserved_change)
    select account.id, job.id, entry.kind, entry.balance_change, entry.reserved_change
    from account cross join job cross join lateral (values
      ('capture', -job.charge, -job.charge),
      ('release', 0, job.charge - job.reserved)
    ) as entry (kind, balance_change, reserved_change)
    where entry.reserved_change <> 0
    order by job.place, entry.kind`.execute(db)
}
