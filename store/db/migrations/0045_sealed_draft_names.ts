import { type Kysely, sql } from 'kysely'

/**
 * Adds columns for sealed names of drafts. Names from before stay in `name` until the janitor seals
 * them. The columns in clear go in a later version, as an upgrade runs all migrations at once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of ['projects', 'project_versions'].flatMap(sealed)) {
    await sql.raw(statement).execute(db)
  }
}

// A name in clear is the newer one: only an older api writes it beside a sealed one.
const sealed = (table: string) => [
  `alter table ${table}
    add column sealed_name text,
    alter column name drop not null,
    add check (name is not null or sealed_name is not null)`,
  `create index ${table}_by_name_seal on ${table} (split_part(sealed_name, '.', 1))`,
  `create index ${table}_named_in_clear on ${table} (account_id) where name is not null`,
]
