import { type Kysely, sql } from 'kysely'

/** Keeps an hour of the farm's figures, for operators' charts where there is no Prometheus. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table figure_samples (
    at timestamptz primary key default now(),
    figures jsonb not null
  )`.execute(db)
}
