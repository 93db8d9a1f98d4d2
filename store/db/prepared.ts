import { type PostgresPool, type PostgresPoolClient, type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import type { Settings } from './connect.ts'

/**
 * Marks a statement that a pool of `preparedPool` parses and plans once for each connection. It stands
 * before the statement's first word; the name is unique, and the text never changes. For long and
 * frequent statements: planning takes as much of a lease as executing it (decision 0032).
 */
export function prepared(name: string): RawBuilder<unknown> {
  return sql.raw(`/* prepared: ${name} */`)
}

const mark = /\/\* prepared: ([a-z-]+) \*\//

/** Returns the name that `prepared` gave a statement, if any. */
export function preparedName(text: string): string | undefined {
  return mark.exec(text)?.[1]
}

/** Settings that connections of `preparedPool` must have. */
export const genericPlan: Settings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
}

/**
 * Adapts a pool for Kysely, which has no notion of prepared statements. Its connections must have
 * `genericPlan`: one plan then serves all calls, whatever their values. A plan made while the queue is
 * empty would choose sequential scans and stay until Postgres gathers new statistics, so these are
 * off.
 */
export function preparedPool(pool: pg.Pool): PostgresPool {
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
      // pg types a command as any string, and cursors are not supported.
      return lent as unknown as PostgresPoolClient
    },
    end: () => pool.end(),
  }
}
