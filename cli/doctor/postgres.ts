import { join } from 'node:path'
import type pg from 'pg'
import { packagedBinaries } from '../../infra/local/postgres-home.ts'
import { applySettings } from '../../store/db/connect.ts'
import { type Finding, missing, ok, optional } from './finding.ts'
import { commandTimeoutMs, firstLine, firstLineOf, setUp } from './programs.ts'

export async function examinePostgres(): Promise<Finding> {
  const { DATABASE_URL: url } = process.env
  if (url) return await examineServer(url)
  try {
    const { folder } = packagedBinaries()
    const { works, line } = await firstLine(join(folder, 'bin', 'postgres'), '--version')
    return works ? ok('Postgres', `${line}, from npm`) : missing('Postgres', line, setUp)
  } catch (error) {
    return missing('Postgres', firstLineOf(error), `${setUp}, or set DATABASE_URL`)
  }
}

async function examineServer(url: string): Promise<Finding> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: commandTimeoutMs })
  try {
    await client.connect()
    return await examineJit(client)
  } catch (error) {
    return missing('Postgres', firstLineOf(error), 'check DATABASE_URL')
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Checks whether statements are compiled, which slows the farm's (store/db/connect.ts). */
async function examineJit(client: pg.Client): Promise<Finding> {
  await applySettings(client)
  const { rows } = await client.query<{ version: string; jit: string; own: string; pid: number }>(`
    select current_setting('server_version') as version, current_setting('jit') as jit,
      (select reset_val from pg_settings where name = 'jit') as own, pg_backend_pid() as pid`)
  const [{ version, jit, own, pid } = { version: '', jit: '', own: '', pid: 0 }] = rows
  const facts = `${version} at DATABASE_URL, JIT ${own} there and ${jit} for the farm`
  // A pooler gives clients a process id of its own.
  const { processID } = client as pg.Client & { readonly processID: number }
  if (own === 'off' || (jit === 'off' && processID === pid)) return ok('Postgres', facts)
  return optional(
    'Postgres',
    `${facts}${processID === pid ? '' : ', through a pooler, which may drop the setting'}`,
    'run `alter role THE_USER set jit = off` as the owner of the database: with JIT a queue query takes seconds',
  )
}
