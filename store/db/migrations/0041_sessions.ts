import { type Kysely, sql } from 'kysely'

/**
 * Sessions as their user sees them, successors of refresh tokens for racing tabs, and codes that sign
 * in once. A successor is sealed under the token that it follows; of a code its hash is kept.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `alter table sessions
    add column user_agent text not null default '',
    add column last_used_at timestamptz not null default now()`,
  'update sessions set last_used_at = created_at',
  `alter table refresh_tokens
    add column used_by text,
    add column successor text`,
  `create table sign_in_codes (
    sha256 bytea primary key check (length(sha256) = 32),
    account_id uuid not null references accounts on delete cascade,
    user_id uuid not null references users on delete cascade,
    expires_at timestamptz not null
  )`,
  `select keep_to_account('sign_in_codes')`,
]
