import { type Kysely, sql } from 'kysely'

/** Lists the jobs of all accounts for operators: the latest, ended ones by state, failed ones by code. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  'create index jobs_latest on jobs (created_at desc, id desc)',
  `create index jobs_ended on jobs (state, created_at desc, id desc)
    where finished_at is not null`,
  `create index jobs_with_error on jobs ((error->>'code'), created_at desc, id desc)
    where error is not null`,
]
