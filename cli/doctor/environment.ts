import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Client, credentials } from '@grpc/grpc-js'
import { readTlsFiles } from '../../runtime/tls.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { openObjectStore, readObjectsPublicUrl, readObjectsUrl } from '../../store/objects/open.ts'
import { readSchedulerAddress } from '../../worker/agent/scheduler-address.ts'
import { type Finding, missing, ok, optional } from './finding.ts'
import { commandTimeoutMs, firstLineOf } from './programs.ts'

/**
 * Checks of everything that roles reach over the network or on disk. Each stands alone and never
 * rejects.
 */

/** Free space below which a node may run out during one film. */
const enoughFreeBytes = 5 * 2 ** 30
/** Clock difference that signed addresses and leases tolerate. */
const clockMayDifferMs = 5_000

/** Writes an object, reads it and removes it, where FARM_OBJECTS names a store. */
export async function examineObjects(): Promise<Finding> {
  const name = 'objects'
  if (!process.env.FARM_OBJECTS) return ok(name, 'not checked, because FARM_OBJECTS is not set')
  const advice = 'check FARM_OBJECTS, the bucket and the permissions of its key'
  try {
    const url = readObjectsUrl(process.env)
    const objectsPublicUrl = readObjectsPublicUrl(process.env)
    const unused = { publicUrl: 'http://localhost', secret: 'signs nothing' }
    const store = openObjectStore(url, { ...unused, objectsPublicUrl })
    const key = `doctor/${randomUUID()}`
    await store.put(key, Buffer.from('doctor'))
    try {
      const text = String(await store.read(key))
      const where = `${url.protocol}//${url.host}${url.pathname} at FARM_OBJECTS`
      if (text !== 'doctor') return missing(name, `${where} returns other bytes`, advice)
      if (objectsPublicUrl !== undefined) await readAsCustomer(store, { key, objectsPublicUrl })
      return ok(name, `${where}: written, read, removed`)
    } finally {
      await store.remove([key])
    }
  } catch (error) {
    return missing(name, firstLineOf(error), advice)
  }
}

async function readAsCustomer(
  store: ObjectStore,
  { key, objectsPublicUrl }: { key: string; objectsPublicUrl: string },
): Promise<void> {
  const where = `${objectsPublicUrl} at FARM_OBJECTS_PUBLIC`
  const signed = await store.signGet(key, { seconds: 60, forCustomer: true })
  const signal = AbortSignal.timeout(commandTimeoutMs)
  const answer = await fetch(signed, { signal, redirect: 'manual' }).catch((error: unknown) => {
    throw new Error(`${where} does not answer`, { cause: error })
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${where} answers HTTP ${answer.status} to a signed URL`)
  if (text !== 'doctor') throw new Error(`${where} returns other bytes`)
}

/** Checks the scheduler at FARM_SCHEDULER_ADDRESS, with the node's certificate if it has one. */
export async function examineScheduler(): Promise<Finding> {
  const name = 'scheduler'
  const { FARM_SCHEDULER_ADDRESS: address } = process.env
  if (!address) return ok(name, 'not checked, because FARM_SCHEDULER_ADDRESS is not set')
  try {
    const tls = readTlsFiles(process.env)
    const channel = tls
      ? credentials.createSsl(tls.ca, tls.key, tls.cert)
      : credentials.createInsecure()
    const client = new Client(readSchedulerAddress(process.env), channel)
    await new Promise<void>((resolve, reject) => {
      client.waitForReady(Date.now() + commandTimeoutMs, (error) => {
        client.close()
        error ? reject(error) : resolve()
      })
    })
    return ok(name, `${address} answers${tls ? ' over TLS' : ''}`)
  } catch (error) {
    const seen = `${address}: ${firstLineOf(error)}`
    return missing(name, seen, 'check FARM_SCHEDULER_ADDRESS, FARM_TLS_* and the firewall')
  }
}

/** Checks the free space of a node's caches and work. */
export async function examineDisk(): Promise<Finding> {
  const name = 'disk'
  const wanted = resolve(process.env.FARM_DATA ?? '.farm')
  let folder = wanted
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize, blocks } = await statfs(folder)
  const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`
  const free = bavail * bsize
  const facts = `${gigabytes(free)} free of ${gigabytes(blocks * bsize)} for ${wanted}`
  if (free >= enoughFreeBytes) return ok(name, facts)
  const advice = `free some space, or set FARM_DATA to another folder: a node without space takes no tasks`
  return optional(name, facts, advice)
}

/** Compares this machine's clock with the database's. */
export async function examineClock(): Promise<Finding> {
  const name = 'clock'
  const { DATABASE_URL: url } = process.env
  if (!url)
    return ok(name, `${new Date().toISOString()}; not compared, because DATABASE_URL is not set`)
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: commandTimeoutMs })
  try {
    await client.connect()
    const asked = Date.now()
    const { rows } = await client.query<{ ms: string }>(
      'select extract(epoch from now()) * 1000 as ms',
    )
    const middle = (asked + Date.now()) / 2
    const apart = Math.round(Math.abs(Number(rows[0]?.ms) - middle))
    const facts = `${apart} ms from the database's`
    if (apart <= clockMayDifferMs) return ok(name, facts)
    const advice = 'set the clock with chrony or ntpd: signed URLs expire by it'
    return optional(name, facts, advice)
  } catch {
    return ok(name, 'not compared: the database does not answer')
  } finally {
    await client.end().catch(() => undefined)
  }
}
