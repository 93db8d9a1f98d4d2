import { sql } from 'kysely'
import { type SignedIn, sendFilm } from './signed-in-browser.ts'

export const rows = 10_000

/** Adds rendering jobs to the customer, copied from one that was sent. */
export async function addRows(signedIn: SignedIn): Promise<void> {
  await sendFilm(signedIn, 'A film')
  const { stage, customer } = signedIn
  await sql`insert into jobs select (jsonb_populate_record(jobs, jsonb_build_object(
    'id', gen_random_uuid(), 'name', 'row ' || n, 'state', 'rendering', 'stage', 'render',
    'frames_total', 100000, 'created_at', now() - n * interval '1 second'))).*
    from jobs, generate_series(2, ${rows}::int) n
    where account_id = ${customer.accountId}`.execute(stage.db)
}
