import { type PostgresPool, type PostgresPoolClient, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import type { Settings } from './connect.ts'

/**
 * Stands before the first word of a statement that a pool of `preparing` parses and plans once for
 * each connection. The name is the statement's own, and its text always the same. For what is asked
 * often and is long: planning takes as much of a lease as carrying it out (decision 0032).
 */
export function prepared(name: string): RawBuilder<unknown> {
  return sql.raw(`/* prepared: ${name} */`)
}

const mark = /\/\* prepared: ([a-z-]+) \*\//

/** The name that `prepared` gave a statement, if any. */
export function preparedName(text: string): string | undefined {
  return mark.exec(text)?.[1]
}

/** Settings of a connection of `preparing`, see there. */
export const planOnce: Settings = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

/**
 * The pool for Kysely, which has no words for prepared statements. Its connections must be made with
 * `planOnce`: a plan then serves every later call, whatever its values are. It may be made while the
 * queue is empty, and until Postgres gathers new figures it stays; so reading a table from end to
 * end, which is best then, is ruled out.
 */
export function preparing(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect()
      const lent = {
        query: async (text: string, values: unknown[]) => {
          const name = preparedName(text)
          return await client.query({ text, values, ...(name !== undefined && { name }) })
        },
        release: () => client.release(),
      }
      // pg's word for a command is any string, and cursors are not lent.
      return lent as unknown as PostgresPoolClient
    },
    end: () => pool.end(),
  }
}
