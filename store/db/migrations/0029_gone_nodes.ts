import { type Kysely, sql } from 'kysely'

/** Adds names of removed nodes, for attempts and acts that refer to them by id. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table gone_nodes (
      id uuid primary key,
      name text not null,
      gone_at timestamptz not null default now()
    )`.execute(db)
  await sql`create index gone_nodes_by_name on gone_nodes (name)`.execute(db)
}
