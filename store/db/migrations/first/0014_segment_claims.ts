import { type Kysely, sql } from 'kysely'

/**
 * Adds claims: the job of an account that renders a segment now, so that no other does. A claim
 * counts while its job lives, and goes when the segment is in the store.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table segment_claims (
      account_id uuid not null references accounts on delete cascade,
      fingerprint text not null,
      job_id uuid not null references jobs on delete cascade,
      primary key (account_id, fingerprint)
    )`.execute(db)
  await sql`create index on segment_claims (job_id)`.execute(db)
  await sql`select keep_to_account('segment_claims')`.execute(db)
}
