import { type Kysely, sql } from 'kysely'

/** Adds monthly budgets of accounts, and the time until which a spent one refuses new jobs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `create table budgets (
    account_id uuid primary key references accounts on delete cascade,
    credits bigint not null check (credits > 0),
    stops boolean not null,
    made_by text not null,
    created_at timestamptz not null default now()
  )`,
  `select keep_to_account('budgets')`,
  'alter table accounts add column budget_spent_until timestamptz',
  'create index accounts_over_budget on accounts (id) where budget_spent_until is not null',
  `create index credit_entries_captured on credit_entries (account_id, created_at)
    include (balance_change) where kind = 'capture'`,
]
