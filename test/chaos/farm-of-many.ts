import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Role, startRole } from '../../cli/farm/role.ts'
import { startMinio } from '../../infra/local/minio.ts'
import { freePorts } from '../../infra/local/ports.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { startTemporal } from '../../infra/local/temporal.ts'
import { createLog } from '../../runtime/log.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { migrate } from '../../store/db/migrate.ts'
import { onDisks } from '../farm/small-disks.ts'
import { keepPart, type Part } from './part.ts'
import {
  apis,
  folderOf,
  schedulers,
  smallDiskFolder,
  wires as wireNames,
  workers,
  workflowsRoles,
} from './schedule.ts'
import { startWires, type Wires } from './wires.ts'

/** A whole farm of several processes for each role, with a breakable wire for every connection. */
export type FarmOfMany = {
  readonly data: string
  readonly parts: ReadonlyMap<string, Part>
  readonly wires: Wires
  /** Connection of the observer, past all wires. */
  readonly db: Db
  readonly objects: URL
  readonly temporalAddress: string
  /** Addresses of the apis as customers reach them. */
  readonly addresses: readonly string[]
  /** Parts that ended by themselves. */
  readonly endedByThemselves: readonly string[]
  stopRoles(): Promise<void>
  /** Ends every process of it. */
  stop(): Promise<void>
}

export type FarmOptions = {
  readonly data: string
  readonly trustedHosts: readonly string[]
  /** True when a worker gets a small disk. */
  readonly hasDisk: boolean
}

/** Small, so that it fills up soon; large enough for these films. */
const diskSize = '96m'
const secretBytes = 32

type Ports = {
  readonly postgres: number
  readonly temporal: number
  readonly minio: number
  readonly schedulers: readonly number[]
  readonly apis: readonly number[]
  /** Near ends of the wires. */
  readonly near: readonly number[]
}

export async function startFarmOfMany(options: FarmOptions): Promise<FarmOfMany> {
  const { data } = options
  await mkdir(join(data, 'logs'), { recursive: true })
  // Postgres never runs as root, and its user must be able to reach its cluster.
  await chmod(data, 0o711)
  const ports = await drawPorts()
  const endedByThemselves: string[] = []
  const parts = new Map<string, Part>()
  const stops: (() => Promise<unknown>)[] = []

  const stop = async () => {
    for (const each of stops.toReversed()) await each()
  }
  const keep = async (name: string, start: Parameters<typeof keepPart>[1]) => {
    const part = await keepPart(name, start, (how) => endedByThemselves.push(how))
    parts.set(name, part)
    stops.push(part.stop)
  }
  const stopRoles = async () => {
    const roles = [...parts.values()].filter(({ name }) => / \d$/.test(name))
    await Promise.all(roles.map((role) => role.stop()))
  }

  try {
    const wires = await startWires({ dataDir: join(data, 'logs') })
    stops.push(wires.stop)
    const servers = await startServers({ data, ports, keep })
    const db = openDatabase({ url: servers.databaseUrl, log: createLog('chaos', 'silent') })
    stops.push(() => db.destroy())
    await migrate(db)
    const laid = await layWires(wires, ports)
    const roles = rolesOf(options, { ports, laid, servers })
    await Promise.all(roles.map((role) => keep(role.name, () => startRole(role))))
    return {
      ...{ data, parts, wires, db, endedByThemselves, stopRoles, stop },
      objects: new URL(servers.objects),
      temporalAddress: `127.0.0.1:${ports.temporal}`,
      addresses: laid.apis.map((port) => `http://127.0.0.1:${port}`),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Draws all ports at once, so that they differ. */
async function drawPorts(): Promise<Ports> {
  const strands = workers.length * schedulers.length
  const wiresCount = strands + wireNames.toStore.length + apis.length + 2
  const drawn = await freePorts(3 + schedulers.length + apis.length + wiresCount)
  const take = (count: number) => drawn.splice(0, count)
  const [postgres = 0, temporal = 0, minio = 0] = take(3)
  return {
    ...{ postgres, temporal, minio },
    schedulers: take(schedulers.length),
    apis: take(apis.length),
    near: drawn,
  }
}

type Servers = { readonly databaseUrl: string; readonly objects: string }

async function startServers({
  data,
  ports,
  keep,
}: {
  data: string
  ports: Ports
  keep: (name: string, start: Parameters<typeof keepPart>[1]) => Promise<void>
}): Promise<Servers> {
  let databaseUrl = ''
  let objects = ''
  await Promise.all([
    keep('postgres', async () => {
      const dataDir = join(data, 'postgres')
      const server = await startPostgres({ dataDir, port: ports.postgres })
      databaseUrl = server.url
      return server
    }),
    keep('temporal', () =>
      startTemporal({ dataDir: join(data, 'temporal'), port: ports.temporal }),
    ),
    keep('minio', async () => {
      const server = await startMinio({ dataDir: join(data, 'minio'), port: ports.minio })
      objects = server.url
      return server
    }),
  ])
  return { databaseUrl, objects }
}

/** Near ends of the wires: ports of 127.0.0.1. */
type Laid = {
  readonly postgres: number
  readonly temporal: number
  readonly apis: readonly number[]
  /** One for the nodes of each scheduler, then one for the roles. */
  readonly stores: readonly number[]
  /** Wires of each worker, one to each scheduler. */
  readonly schedulers: readonly (readonly number[])[]
}

async function layWires(wires: Wires, ports: Ports): Promise<Laid> {
  const free = [...ports.near]
  const lay = async (name: string, far = 0) => {
    const near = free.shift() ?? 0
    await wires.lay(name, { near, far })
    return near
  }
  return {
    postgres: await lay(wireNames.toPostgres, ports.postgres),
    temporal: await lay(wireNames.toTemporal, ports.temporal),
    apis: await Promise.all(wireNames.toApi.map((name, i) => lay(name, ports.apis[i]))),
    stores: await Promise.all(wireNames.toStore.map((name) => lay(name, ports.minio))),
    schedulers: await Promise.all(
      wireNames.toScheduler.map((name) =>
        Promise.all(ports.schedulers.map((port, i) => lay(strandOf(name, i), port))),
      ),
    ),
  }
}

/** A wire to several parts is several proxies. */
function strandOf(wire: string, index: number): string {
  return `${wire} ${index + 1}`
}

export function strandsOf(wire: string): readonly string[] {
  const isToSchedulers = wireNames.toScheduler.some((each) => each === wire)
  return isToSchedulers ? schedulers.map((_, i) => strandOf(wire, i)) : [wire]
}

function rolesOf(
  { data, trustedHosts, hasDisk }: FarmOptions,
  { ports, laid, servers }: { ports: Ports; laid: Laid; servers: Servers },
): Role[] {
  const nodeToken = randomBytes(secretBytes).toString('hex')
  const everyone = {
    ...process.env,
    FARM_TRUSTED_HOSTS: trustedHosts.join(','),
    FARM_METRICS_ADDRESS: '127.0.0.1:0',
  }
  const serving = {
    ...everyone,
    DATABASE_URL: atPort(servers.databaseUrl, laid.postgres),
    TEMPORAL_ADDRESS: `127.0.0.1:${laid.temporal}`,
    FARM_PUBLIC_URL: `http://127.0.0.1:${laid.apis[0]}`,
    FARM_OBJECTS: atPort(servers.objects, laid.stores.at(-1) ?? 0),
    FARM_SECRET: randomBytes(secretBytes).toString('hex'),
    FARM_NODE_TOKEN: nodeToken,
  }
  const role = (name: string, env: NodeJS.ProcessEnv): Role => ({
    name,
    command: name.split(' ')[0] as Role['command'],
    env,
    logFile: join(data, 'logs', `${name.replace(' ', '-')}.log`),
  })
  return [
    ...schedulers.map((name, i) =>
      role(name, {
        ...serving,
        FARM_SCHEDULER_PORT: String(ports.schedulers[i]),
        // Nodes reach the store by the URLs that their scheduler signs.
        FARM_OBJECTS: atPort(servers.objects, laid.stores[i] ?? 0),
      }),
    ),
    ...workflowsRoles.map((name) => role(name, serving)),
    ...apis.map((name, i) => role(name, { ...serving, FARM_PORT: String(ports.apis[i]) })),
    ...workers.map((name, i) => {
      const folder = folderOf(name)
      const [first = 0, second = 0] = laid.schedulers[i] ?? []
      const order = i % 2 === 0 ? [first, second] : [second, first]
      const disks = hasDisk && folder === smallDiskFolder ? { [folder]: diskSize } : {}
      return {
        ...role(name, {
          ...everyone,
          FARM_SCHEDULER_ADDRESS: `ipv4:${order.map((port) => `127.0.0.1:${port}`).join(',')}`,
          FARM_NODE_TOKEN: nodeToken,
          FARM_NODE_ID: randomUUID(),
          FARM_NODE_NAME: name.replace(' ', '-'),
          FARM_DATA: join(data, folder),
          FARM_LANES: '1',
          FARM_SLOTS: '3',
        }),
        runner: onDisks(data, disks),
      }
    }),
  ]
}

function atPort(url: string, port: number): string {
  const there = new URL(url)
  there.port = String(port)
  return there.href
}
