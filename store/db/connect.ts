import type pg from 'pg'

/** Settings of Postgres for one connection, by name. */
export type Settings = Readonly<Record<string, string>>

/** A database that is silent this long counts as away. */
export const connectTimeoutMs = 10_000

/**
 * Settings of every connection of the farm. Postgres compiles a statement whose estimated cost is
 * high (`jit`, on by default up to version 18). The farm's statements are short and estimated high:
 * compiling a look at an empty queue took 2.8 s, the look itself 0.4 ms (decision 0085).
 */
const always: Settings = { jit: 'off' }

/**
 * Gives a new connection the settings of every connection and `settings`, in one round trip. They
 * use SET, because poolers such as PgBouncer refuse startup parameters.
 */
export async function applySettings(client: pg.ClientBase, settings: Settings = {}): Promise<void> {
  const text = Object.entries({ ...always, ...settings })
    .map(([name, value]) => `set ${name} = '${value}'`)
    .join('; ')
  // pg reads the time-out of one query, which its types leave out.
  const query: pg.QueryConfig & { query_timeout: number } = {
    text,
    query_timeout: connectTimeoutMs,
  }
  await client.query(query)
}
