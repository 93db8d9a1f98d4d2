import { sql } from 'kysely'
import type { Db } from '../database.ts'

const windowSeconds = 15 * 60

export type SignInCount = { readonly failures: number; readonly secondsLeft: number }

/**
 * Counts an attempt before it is checked, as a failure until `forgetSignIns` clears it: concurrent
 * attempts cannot all pass under the limit. `subject` is a sha256.
 */
export async function countSignIn(db: Db, subject: Buffer): Promise<SignInCount> {
  const { rows } = await sql<SignInCount>`
    insert into sign_in_failures as f (subject, failures, window_ends)
    values (${subject}, 1, now() + make_interval(secs => ${windowSeconds}))
    on conflict (subject) do update set
      failures = case when f.window_ends > now() then f.failures + 1 else 1 end,
      window_ends = case when f.window_ends > now() then f.window_ends
        else excluded.window_ends end
    returning failures, ceil(extract(epoch from window_ends - now()))::integer as "secondsLeft"
  `.execute(db)
  const [count] = rows
  if (!count) throw new Error('An attempt that was counted must be answered')
  return count
}
