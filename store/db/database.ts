import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import { applySettings, connectTimeoutMs, type Settings } from './connect.ts'
import { genericPlan, preparedPool } from './prepared.ts'
import type { Tables } from './schema.ts'

export type Db = Kysely<Tables>

/** Longer than any statement of the farm takes; a stuck one must not hold its rows for ever. */
const statementTimeout = '30s'
const bigintOid = 20

/**
 * Opens a pool of connections. bigint is read as a number: credits, bytes and row ids of the farm
 * stay far below 2^53. Connections are made on first use; queries reject while the database is
 * away.
 */
export function openDatabase({ prepared = false, ...options }: DatabaseOptions): Db {
  const pool = prepared
    ? preparedPool(openPool({ ...options, settings: genericPlan }))
    : openPool(options)
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

export type DatabaseOptions = PoolOptions & {
  /** Plans named statements once a connection, for a process that repeats them (prepared.ts). */
  readonly prepared?: boolean
}

export type PoolOptions = {
  readonly url: string
  readonly log: Log
  readonly connections?: number
  /** Longest wait of a query for a free connection; 10 s when absent. */
  readonly waitMs?: number
  /** Server settings of these connections, besides those of every connection. */
  readonly settings?: Settings
}

/** Opens the pool under `openDatabase`, for other users of its connections. */
export function openPool({
  url,
  log,
  connections = 10,
  waitMs = connectTimeoutMs,
  settings,
}: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    Client: PromptClient,
    connectionTimeoutMillis: waitMs,
    keepAlive: true,
    onConnect: (client) =>
      applySettings(client, {
        statement_timeout: statementTimeout,
        idle_in_transaction_session_timeout: statementTimeout,
        ...settings,
      }),
    types: { getTypeParser: parserOf },
  })
  // An idle connection that breaks (the server restarts) is replaced on the next use.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection broke'))
  // The pool does not listen to a connection in use, and an unheard error would end the process.
  // The query, or the next one of its transaction, rejects with it.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/**
 * The pool has one time-out for waiting and for connecting; this one detects a silent database
 * sooner.
 */
class PromptClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    super({ ...config, connectionTimeoutMillis: connectTimeoutMs })
  }
}

/** Resolves when the database answers. */
export async function askDatabase(db: Db): Promise<void> {
  await sql`select 1`.execute(db)
}

/** Runs the work in the transaction that `db` is, or in one of its own. */
export async function inTransaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? await work(db) : await db.transaction().execute(work)
}

/**
 * Answers whether a query failed because the database is away, rather than by its own fault:
 * connection (class 08), resources (53), restart or time-out (57), deadlock (40). The same query
 * may succeed later. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|40|53|57)/.test(error.code ?? '')
  if (!(error instanceof Error)) return false
  const { code, message } = error as NodeJS.ErrnoException
  return (
    /^E(CONN|HOST|NET|PIPE|TIMEDOUT|NOTFOUND|AI_)/.test(code ?? '') ||
    /connection (terminated|error|ended)|trying to connect|timeout expired|not queryable/i.test(
      message,
    )
  )
}

const parserOf: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === bigintOid && format !== 'binary'
    ? (text: string) => Number(text)
    : pg.types.getTypeParser(oid, format as 'text')
