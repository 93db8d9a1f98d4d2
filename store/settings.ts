import { type Env, readBaseUrl, readInteger, readSecret } from '../runtime/env.ts'
import { readDatabaseUrl } from './db/database-url.ts'
import { readObjectsUrl } from './objects/open.ts'

/** Settings of the database and the objects that api, scheduler and workflows have in common. */
export type StoreSettings = {
  readonly databaseUrl: string
  readonly objects: URL
  /** Address at which customers and nodes reach the api, which serves a directory's objects. */
  readonly publicUrl: string
  /** Signs the URLs of a directory's objects. */
  readonly secret: string
}

const minSecretLength = 16

/** @throws EnvError */
export function readStoreSettings(env: Env): StoreSettings {
  return {
    databaseUrl: readDatabaseUrl(env),
    objects: readObjectsUrl(env),
    publicUrl: readBaseUrl(env, 'FARM_PUBLIC_URL'),
    secret: readSecret(env, 'FARM_SECRET', minSecretLength),
  }
}

/** Reads the days for which requests are kept for operators, today included; 0: none is stored. @throws EnvError */
export function readAccessDays(env: Env): number {
  return readInteger(env, 'FARM_ACCESS_DAYS', { min: 0, max: 400, fallback: 14 })
}
