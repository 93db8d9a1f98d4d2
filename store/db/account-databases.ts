import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { type Db, openPool, type PoolOptions } from './database.ts'
import { preparedName } from './prepared.ts'
import type { Tables } from './schema.ts'
import { queryAsTenant, type TenantPreamble } from './tenant-query.ts'

/** The database as one account sees it: a statement without a `where` still finds its rows only. */
export type AccountDatabases = {
  of(accountId: string): Db
  close(): Promise<void>
}

/**
 * Opens a pool whose connections serve one account for one statement, or one transaction, at a
 * time.
 *
 * Row-level security does the work (decision 0015). Each transaction begins by becoming the role
 * `farm_customer`, which owns nothing, and by naming the account. Both end with the transaction, so
 * a connection, even behind a pooler, keeps no trace of its last account.
 */
export function openAccountDatabases(options: PoolOptions): AccountDatabases {
  const pool = openPool(options)
  return {
    of(accountId) {
      return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: lend(accountId) }) })
    },
    close: () => pool.end(),
  }

  function lend(accountId: string) {
    const preamble: TenantPreamble = {
      name: 'tenant_preamble',
      text: `select set_config('role', 'farm_customer', true), set_config('farm.account', $1, true)`,
      values: [accountId],
    }
    return {
      async connect() {
        const client = await pool.connect()
        const lent = {
          query: async (text: string, values: readonly unknown[]) =>
            await run(client, { preamble, text, values }),
          release: () => client.release(),
        }
        // pg types a command as any string, and cursors are not supported.
        return lent as unknown as PostgresPoolClient
      },
      // Does nothing: the connections serve the next account.
      end: async () => undefined,
    }
  }
}

async function run(
  client: pg.PoolClient,
  { preamble, ...query }: { preamble: TenantPreamble; text: string; values: readonly unknown[] },
) {
  // A transaction has named its account already; after a failed statement Postgres would accept
  // only its end.
  if (client.getTransactionStatus() !== 'I')
    return await client.query(query.text, [...query.values])
  return await queryAsTenant(client, preamble, { ...query, name: preparedName(query.text) })
}
