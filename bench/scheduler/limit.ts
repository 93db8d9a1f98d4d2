import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { createLog } from '../../runtime/log.ts'
import { createCallBatches } from '../../scheduler/queue/call-batches.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { showLoad } from './fleets.ts'
import { emptyQueue, fillQueue, nodesByTurns } from './queue.ts'
import { addTenants, type Stage } from './stage.ts'

/** Connections of one scheduler (store/db/database.ts). */
const connections = 10
const depth = 100_000

/** Minimal queue: no shares, shapes, limits, fencing, history or notices. */
const bareLease = `
  update bare_queue set state = 'leased' where id = (
    select id from bare_queue where state = 'queued'
    order by virtual_start, id limit 1 for update skip locked
  )`

export const limitHeader = ['leases of one task, 10 connections', 'leases/s', 'of pgbench', 'load']

/** Measures leasing beside the bare `SKIP LOCKED` query, by pgbench and from here. */
export async function measureLimit(stage: Stage, seconds: number): Promise<string[][]> {
  const { db } = stage
  await emptyQueue(db)
  await fillQueue(db, { tenants: await addTenants(db, 10), each: depth / 10 })
  await refillBare(db)
  const bench = await byPgbench(stage, seconds)
  const load = showLoad()
  await refillBare(db)
  const fromHere = await byClient(stage.databaseUrl, seconds)
  const limit = bench ?? fromHere
  const row = (name: string, rate: number, at: string) => [
    name,
    rate.toFixed(0),
    (rate / limit).toFixed(2),
    at,
  ]
  const rows = [row('bare SKIP LOCKED, prepared, from Node (pg)', fromHere, showLoad())]
  if (bench !== undefined) {
    rows.unshift(row('bare SKIP LOCKED, pgbench -M prepared', bench, load))
  }
  for (const nodes of [1, connections, 100]) {
    const rate = await byBatches(stage, { seconds, nodes })
    rows.push(row(`a scheduler's batches, ${nodes} nodes at a time`, rate, showLoad()))
  }
  return rows
}

async function refillBare(db: Db): Promise<void> {
  await sql`drop table if exists bare_queue`.execute(db)
  await sql`
    create table bare_queue as
    select id, account_id, job_id, virtual_start, state, spec, inputs, outputs from tasks
    where state = 'queued'`.execute(db)
  await sql`alter table bare_queue add primary key (id)`.execute(db)
  await sql`
    create index on bare_queue (virtual_start, id) where state = 'queued'`.execute(db)
  await sql`analyze bare_queue`.execute(db)
}

/** Runs pgbench. Undefined without one on PATH; the embedded Postgres comes without it. */
async function byPgbench(
  { databaseUrl, folder }: Stage,
  seconds: number,
): Promise<number | undefined> {
  if (spawnSync('pgbench', ['--version']).status !== 0) return undefined
  const script = join(folder, 'bare.sql')
  await writeFile(script, `${bareLease.replaceAll('\n', ' ')};\n`)
  const args = ['-n', '-M', 'prepared', '-c', String(connections), '-T', String(seconds)]
  const { stdout, stderr } = spawnSync('pgbench', [...args, '-f', script, databaseUrl], {
    encoding: 'utf8',
  })
  const rate = /tps = ([\d.]+)/.exec(stdout)?.[1]
  if (rate === undefined) throw new Error(`pgbench must tell its rate. It said: ${stderr}`)
  return Number(rate)
}

async function byClient(connectionString: string, seconds: number): Promise<number> {
  const pool = new pg.Pool({ connectionString, max: connections })
  try {
    const work = () => pool.query({ name: 'bare', text: bareLease })
    return await rateOf(connections, { seconds, work })
  } finally {
    await pool.end()
  }
}

/** Measures a scheduler's work for nodes that lease again as soon as they have a task. */
async function byBatches(
  { db, databaseUrl: url }: Stage,
  { seconds, nodes }: { seconds: number; nodes: number },
): Promise<number> {
  const nextNode = await nodesByTurns(db, { slots: 1 })
  const schedulers = openDatabase({ url, log: createLog('bench', 'silent'), prepared: true })
  const batches = createCallBatches(schedulers)
  const ending = setInterval(() => void endAll(db), endEveryMs)
  try {
    return await rateOf(nodes, { seconds, work: () => batches.leases.submit(nextNode()) })
  } finally {
    clearInterval(ending)
    await endAll(db)
    await schedulers.destroy()
  }
}

/** Ends attempts at the pace of a fleet, so that no limit is reached. */
const endEveryMs = 500

async function endAll(db: Db): Promise<void> {
  await sql`
    update attempts set state = 'completed', ended_at = now() where state = 'running'`.execute(db)
}

async function rateOf(
  atOnce: number,
  { seconds, work }: { seconds: number; work: () => Promise<unknown> },
): Promise<number> {
  const began = performance.now()
  const end = began + seconds * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() < end) {
        await work()
        done += 1
      }
    }),
  )
  return (done * 1000) / (performance.now() - began)
}
