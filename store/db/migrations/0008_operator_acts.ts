import { type Kysely, sql } from 'kysely'

/** Who of the farm's people did what to which thing, and why. */
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
