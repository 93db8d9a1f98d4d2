import { type Kysely, sql } from 'kysely'

/** Adds the audit log of operators' acts, with subject and reason. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table operator_acts (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      actor text not null,
      act text not null,
      subject text not null,
      why text not null
    )`.execute(db)
}
