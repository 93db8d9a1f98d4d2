import { hashPassword } from '../../api/account/password.ts'
import type { Operation } from '../../operator/operation.ts'
import { readBaseUrl, readSecret, readTrustedHosts } from '../../runtime/env.ts'
import { createLog } from '../../runtime/log.ts'
import { readPrometheus } from '../../runtime/prometheus.ts'
import { readSealKeys } from '../../runtime/seal.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { readDatabaseUrl } from '../../store/db/database-url.ts'
import { openObjectStore, readObjectsUrl } from '../../store/objects/open.ts'
import { usage } from '../failure.ts'
import { actorOf } from '../fleet/act.ts'
import { findRemote, runRemotely } from '../operators/remote.ts'
import { showTable, type TableRow } from './table.ts'

/** Result of a command: rows for people, or JSON for programs. */
export type Answer = {
  readonly json: unknown
  /** Lines made by `showTable`, or a sentence. */
  readonly text: string
}

/** Runs a command on the database at DATABASE_URL, past the walls between accounts. */
async function operate(
  isJson: boolean | undefined,
  work: (db: Db) => Promise<Answer>,
): Promise<void> {
  const url = readDatabaseUrl(process.env)
  const db = openDatabase({ url, log: createLog('farm'), connections: 1 })
  try {
    say(isJson, await work(db))
  } finally {
    await db.destroy()
  }
}

/** Does what operators do (operator/operations.ts). */
export type Farm = {
  run<Input, Output>(operation: Operation<Input, Output>, input: Input): Promise<Output>
}

/**
 * Runs an operator's command by its operations: by the API where an operator is signed in at FARM_URL, else
 * on the database.
 */
export async function operateFarm(
  { json: isJson, ...by }: { readonly json?: boolean | undefined; readonly by?: string },
  work: (farm: Farm) => Promise<Answer>,
): Promise<void> {
  const remote = await findRemote()
  if (remote) {
    if (by.by !== undefined) {
      throw usage(`--by is for the database: the API records who is signed in. Got ${by.by}`)
    }
    // Found anew for each call: tokens end while a log is followed.
    const run: Farm['run'] = async (operation, input) =>
      await runRemotely((await findRemote()) ?? remote, operation, input)
    say(isJson, await work({ run }))
    return
  }
  await operate(isJson, async (db) => {
    const access = {
      ...{ db, objects: openObjects, sealKeys: readKeys },
      trustedHosts: () => readTrustedHosts(process.env),
      hashPassword,
      prometheus: () => readPrometheus(process.env),
    }
    return await work({
      run: async (operation, input) => await operation.run(access, input, actorOf(by)),
    })
  })
}

const minSecretLength = 16

/** Opens the object store at FARM_OBJECTS. Nothing is signed for the command line without FARM_SECRET. */
export function openObjects() {
  const env = process.env
  const publicUrl = readBaseUrl({ FARM_PUBLIC_URL: 'http://localhost', ...env }, 'FARM_PUBLIC_URL')
  const secret = env.FARM_SECRET
    ? readSecret(env, 'FARM_SECRET', minSecretLength)
    : 'reads nothing signed'
  return openObjectStore(readObjectsUrl(env), { publicUrl, secret })
}

/** The keys of the farm, whose FARM_SECRET this command must have. */
function readKeys() {
  const env = process.env
  return readSealKeys(env, readSecret(env, 'FARM_SECRET', minSecretLength))
}

function say(isJson: boolean | undefined, { json, text }: Answer): void {
  console.log(isJson ? JSON.stringify(json) : text)
}

export function answerRows(rows: readonly TableRow[]): Answer {
  return { json: rows, text: showTable(rows) }
}

export function answerOne(row: TableRow): Answer {
  return { json: row, text: showTable([row]) }
}
