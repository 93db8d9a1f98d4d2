import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, Client as TemporalClient } from '@temporalio/client'
import { sql } from 'kysely'
import { Client as S3Client } from 'minio'
import type { Db } from '../../store/db/database.ts'
import { openObjectStore } from '../../store/objects/open.ts'
import { removeExpired } from '../../workflows/janitor/retention.ts'
import { processesOf } from '../farm/running-farm.ts'
import type { FarmOfMany } from './farm-of-many.ts'
import { folderOf, workers } from './schedule.ts'

/** Counts the open work in the database, by kind. */
export async function openThings(db: Db): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ thing: string; n: number }>`
    select 'jobs' as thing, count(*) as n from jobs
      where state not in ('completed', 'failed', 'cancelled')
    union all select 'tasks', count(*) from tasks
      where state in ('queued', 'leased')
    union all select 'attempts', count(*) from attempts where state = 'running'
    union all select 'events to send', count(*) from task_words where sent_at is null
    union all select 'deliveries', count(*) from webhook_deliveries
      where status = 'pending'
    union all select 'accounts with a hold', count(*) from accounts
      where credits_reserved <> 0`.execute(db)
  return new Map(rows.filter(({ n }) => n > 0).map(({ thing, n }) => [thing, n]))
}

const goneWithinMs = 30_000
const lookMs = 500

/**
 * Polls until `look` finds nothing; returns the rest after a while. An attempt that lost hears of
 * it only at its next renewal, and a list may be behind.
 */
export async function stillThere(look: () => Promise<string[]>): Promise<string[]> {
  const deadline = Date.now() + goneWithinMs
  for (;;) {
    const found = await look()
    if (found.length === 0 || Date.now() > deadline) return found
    await sleep(lookMs)
  }
}

/** Ids of workflows that still run. */
export async function openWorkflows({ temporalAddress: address }: FarmOfMany): Promise<string[]> {
  const connection = await Connection.connect({ address })
  try {
    const ids: string[] = []
    const client = new TemporalClient({ connection })
    const running = client.workflow.list({ query: 'ExecutionStatus = "Running"' })
    for await (const { workflowId } of running) ids.push(workflowId)
    return ids
  } finally {
    await connection.close()
  }
}

/** Scratch folders of tasks on nodes, by path. */
export async function scratchFolders({ parts, data }: FarmOfMany): Promise<string[]> {
  const found = await Promise.all(
    workers.map(async (worker) => {
      const pid = parts.get(worker)?.pid()
      // Read through the worker's mount namespace, because one of them has a disk of its own.
      const folder = join(`/proc/${pid}/root`, data, folderOf(worker), 'work')
      return (await readdir(folder)).map((name) => `${worker}: work/${name}`)
    }),
  )
  return found.flat()
}

/** Processes of the farm that no living part has started. */
export async function orphans(farm: FarmOfMany): Promise<string[]> {
  const living = new Set([...farm.parts.values()].map((part) => part.pid()).concat(farm.wires.pid))
  const lines = await Promise.all(
    (await processesOf(farm, '')).map(async (pid) => {
      if (await isBelow(pid, living)) return []
      const argv = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      // A zombie has no command line; its parent must reap it.
      return argv === '' ? [] : [`${pid} ${argv.replaceAll('\0', ' ').slice(0, 120)}`]
    }),
  )
  return lines.flat()
}

async function isBelow(pid: number, ancestors: ReadonlySet<number>): Promise<boolean> {
  for (let at = pid; at > 1; ) {
    if (ancestors.has(at)) return true
    const stat = await readFile(`/proc/${at}/stat`, 'utf8').catch(() => '')
    at = Number(/\) \S (\d+)/.exec(stat)?.[1] ?? 0)
  }
  return false
}

const turnsMax = 1_000

/**
 * Lets everything expire and runs the farm's own retention. Returns the keys that are still in the
 * store, which nothing refers to.
 */
export async function forgottenObjects({ db, objects }: FarmOfMany): Promise<string[]> {
  const store = openObjectStore(objects, { publicUrl: '', secret: '' })
  await sql`update jobs set files_expire_at = now() - interval '1 second'`.execute(db)
  await sql`update artifacts set last_used_at = now() - interval '30 days'`.execute(db)
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const more = await removeExpired({ db, objects: store })
    const { numAffectedRows } = await sql`
      update doomed_objects set not_before = now() - interval '1 second'`.execute(db)
    if (!more && numAffectedRows === 0n) break
  }
  const nodes = await db.selectFrom('nodes').select('id').execute()
  // One object for each node, overwritten by each canary.
  const canaries = new Set(nodes.map(({ id }) => `canaries/${id}`))
  return (await listObjects(objects)).filter((key) => !canaries.has(key))
}

async function listObjects(url: URL): Promise<string[]> {
  const client = new S3Client({
    ...{ endPoint: url.hostname, port: Number(url.port), useSSL: false },
    ...{ accessKey: url.username, secretKey: url.password },
  })
  const bucket = url.pathname.slice(1)
  const keys: string[] = []
  for await (const { name } of client.listObjectsV2(bucket, '', true)) keys.push(String(name))
  for await (const { key } of client.listIncompleteUploads(bucket, '', true)) {
    keys.push(`${key} (an upload that was not finished)`)
  }
  return keys
}
