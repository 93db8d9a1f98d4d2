import { type Env, readText } from '../../runtime/env.ts'

/** @throws EnvError */
export function readDatabaseUrl(env: Env): string {
  return readText(env, 'DATABASE_URL', 'the URL of a Postgres database')
}
