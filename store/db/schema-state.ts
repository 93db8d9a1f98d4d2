import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../../runtime/log.ts'
import type { Db } from './database.ts'
import { kindOfMigration } from './migration-kinds.ts'

/** The database's schema does not fit this release; the message says what to do. */
export class SchemaError extends Error {}

const lookMs = 1_000

/** Lists the names of the migrations that the database has run; none for an empty one. */
export async function listRanMigrations(db: Db): Promise<readonly string[]> {
  try {
    const { rows } = await sql<{ name: string }>`
      select name from kysely_migration order by name`.execute(db)
    return rows.map(({ name }) => name)
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === undefinedTable) return []
    throw error
  }
}

const undefinedTable = '42P01'

/**
 * Checks that a role of this release, whose migrations are `known`, can use the database. A newer schema is
 * fine where it only adds.
 *
 * Errors: SchemaError; an error of the database while that is away.
 */
export async function checkSchema(db: Db, known: readonly string[]): Promise<void> {
  const ran = new Set(await listRanMigrations(db))
  const missing = known.filter((name) => !ran.has(name))
  if (missing.length > 0) {
    throw new SchemaError(
      `The database lacks ${missing.length} migrations, the last one ${missing.at(-1)}: run \`farm migrate\` of this release.`,
    )
  }
  const breaking = [...ran].filter(
    (name) => !known.includes(name) && kindOfMigration(name) !== 'additive',
  )
  if (breaking.length > 0) {
    throw new SchemaError(
      `The database has run ${breaking.join(', ')} of a newer release, which this release cannot work with: start the newer one.`,
    )
  }
}

/**
 * Resolves when the schema fits this release, and logs once for each reason why it does not yet. A database
 * that is away is not waited for: the role reports that itself.
 */
export async function waitForSchema({
  db,
  known,
  log,
}: {
  readonly db: Db
  readonly known: readonly string[]
  readonly log: Log
}): Promise<void> {
  for (let said = ''; ; await sleep(lookMs)) {
    const reason = await reasonToWait(db, known)
    if (reason === undefined) {
      if (said !== '') log.info('the schema of the database fits now')
      return
    }
    if (reason !== said) log.warn({ why: reason }, 'the role waits for the schema of the database')
    said = reason
  }
}

async function reasonToWait(db: Db, known: readonly string[]): Promise<string | undefined> {
  try {
    await checkSchema(db, known)
    return undefined
  } catch (error) {
    return error instanceof SchemaError ? error.message : undefined
  }
}
