import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Role, startRole } from '../../cli/farm/role.ts'
import { largestPlan } from '../../core/accounts/plans.ts'
import { startMinio } from '../../infra/local/minio.ts'
import { freePorts } from '../../infra/local/ports.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { type Running, startProcess } from '../../infra/local/processes.ts'
import { startTemporal } from '../../infra/local/temporal.ts'
import { createAccount } from '../../store/db/accounts/create-account.ts'
import { createKey } from '../../store/db/accounts/create-key.ts'
import { grantCredits } from '../../store/db/accounts/grant-credits.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { silent } from '../store/database.ts'

const hook = new URL('../farm/other-engine.ts', import.meta.url).href

/** A release that runs roles. `engine`: another one than its own. */
export type Release = {
  readonly name: string
  readonly program?: string
  readonly engine?: string
}

export type FarmOfTwo = Awaited<ReturnType<typeof startFarmOfTwo>>

/** Servers for roles of two releases: Postgres, Temporal and MinIO. A role is started by its release. */
export async function startFarmOfTwo(data: string) {
  await mkdir(join(data, 'logs'), { recursive: true })
  await chmod(data, 0o711)
  const [older = 0, newer = 0, olderApi = 0, newerApi = 0] = await freePorts(4)
  const postgres = await startPostgres({ dataDir: join(data, 'postgres') })
  const temporal = await startTemporal({ dataDir: join(data, 'temporal') })
  const minio = await startMinio({ dataDir: join(data, 'minio') })
  const db = openDatabase({ url: postgres.url, log: silent })
  const nodeToken = randomBytes(32).toString('hex')
  const everyone = {
    ...process.env,
    FARM_METRICS_ADDRESS: '127.0.0.1:0',
    FARM_NODE_TOKEN: nodeToken,
  }
  const serving = {
    ...everyone,
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: temporal.address,
    FARM_OBJECTS: minio.url,
    FARM_PUBLIC_URL: 'http://127.0.0.1:1',
    FARM_SECRET: randomBytes(32).toString('hex'),
    FARM_RATE_LIMITS: 'off',
  }
  const running = new Set<Running>()

  function envOf(command: Role['command'], { name }: Release): NodeJS.ProcessEnv {
    const isOlder = name === 'older'
    if (command !== 'worker') {
      return {
        ...serving,
        FARM_SCHEDULER_PORT: String(isOlder ? older : newer),
        FARM_PORT: String(isOlder ? olderApi : newerApi),
      }
    }
    return {
      ...everyone,
      FARM_SCHEDULER_ADDRESS: `ipv4:127.0.0.1:${older},127.0.0.1:${newer}`,
      FARM_NODE_ID: randomUUID(),
      FARM_NODE_NAME: name,
      FARM_DATA: join(data, `node-${name}`),
      FARM_LANES: '1',
      FARM_SLOTS: '2',
    }
  }

  /** Starts a role; `stop` ends it as a supervisor does, `kill` without a word. */
  async function start(command: Role['command'], release: Release) {
    const { name, program, engine } = release
    const role = await startRole({
      ...{ name: `${command} ${name}`, command },
      env: {
        ...envOf(command, release),
        ...(engine !== undefined && { FARM_TEST_ENGINE: engine, NODE_OPTIONS: `--import ${hook}` }),
      },
      logFile: join(data, 'logs', `${command}-${name}.log`),
      ...(program !== undefined && { program }),
    })
    running.add(role)
    const gone = () => running.delete(role)
    return {
      stop: () => role.stop().then(gone),
      async kill() {
        process.kill(role.pid, 'SIGKILL')
        await role.exited
        gone()
      },
    }
  }

  /** Runs a command of a release to its end. */
  async function command(args: readonly string[], { name, program }: Release): Promise<void> {
    const main = program ?? new URL('../../cli/main.ts', import.meta.url).pathname
    const logFile = join(data, 'logs', `${args[0]}-${name}.log`)
    const ended = await startProcess({
      ...{ name: `farm ${args.join(' ')}`, command: process.execPath, args: [main, ...args] },
      ...{ env: serving, logFile },
    })
    const { code } = await ended.exited
    if (code !== 0)
      throw new Error(`farm ${args.join(' ')} of ${name} ended with ${code}: ${logFile}`)
  }

  async function addCustomer(): Promise<{ readonly accountId: string; readonly key: string }> {
    const { id: accountId } = await createAccount(db, { name: randomUUID(), plan: largestPlan })
    await grantCredits(db, { accountId, credits: 100_000, note: 'for the test' })
    return { accountId, key: (await createKey(db, { accountId, name: 'test' })).key }
  }

  const stopRoles = async () => {
    await Promise.all([...running].map((role) => role.stop()))
    running.clear()
  }

  const apiOf = ({ name }: Release) => `http://127.0.0.1:${name === 'older' ? olderApi : newerApi}`

  return {
    ...{ db: db as Db, objects: minio.url, start, command, addCustomer, apiOf },
    stopRoles,
    async stop() {
      await stopRoles()
      await db.destroy()
      await Promise.all([minio.stop(), temporal.stop(), postgres.stop()])
    },
  }
}
