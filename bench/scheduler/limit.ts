import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { createLog } from '../../runtime/log.ts'
import { type Db, openPreparingDatabase } from '../../store/db/database.ts'
import { leaseTasks } from '../../store/db/statements/lease-tasks.ts'
import { showLoad } from './fleets.ts'
import { emptyQueue, fillQueue, lesseesOf } from './queue.ts'
import { addTenants, type Stage } from './stage.ts'

/** As many as one scheduler has (store/db/database.ts). */
const connections = 10
const depth = 100_000

/** The queue at its barest: no shares, shapes, limits, fencing, history, and nobody to be told. */
const bareLease = `
  update bare_queue set state = 'leased' where id = (
    select id from bare_queue where state = 'queued'
    order by virtual_start, id limit 1 for update skip locked
  )`

export const limitHeader = ['leases of one task, 10 connections', 'leases/s', 'of pgbench', 'load']

/** The leasing statement beside the bare `SKIP LOCKED` query, by pgbench and from here. */
export async function measureLimit(stage: Stage, seconds: number): Promise<string[][]> {
  const { db } = stage
  await emptyQueue(db)
  await fillQueue(db, { tenants: await addTenants(db, 10), each: depth / 10 })
  await refillBare(db)
  const bench = await byPgbench(stage, seconds)
  const load = showLoad()
  await refillBare(db)
  const fromHere = await byClient(stage.databaseUrl, seconds)
  const loadHere = showLoad()
  const ours = await byFarm(stage, seconds)
  const limit = bench ?? fromHere
  const row = (name: string, rate: number, at: string) => [
    name,
    rate.toFixed(0),
    (rate / limit).toFixed(2),
    at,
  ]
  return [
    ...(bench === undefined ? [] : [row('bare SKIP LOCKED, pgbench -M prepared', bench, load)]),
    row('bare SKIP LOCKED, prepared, from Node (pg)', fromHere, loadHere),
    row('lease-tasks.ts, from Node (pg)', ours, showLoad()),
  ]
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

/** Undefined where there is no pgbench on PATH; the embedded Postgres comes without it. */
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
    return await rateOf(seconds, () => pool.query({ name: 'bare', text: bareLease }))
  } finally {
    await pool.end()
  }
}

async function byFarm({ db, databaseUrl: url }: Stage, seconds: number): Promise<number> {
  const nextLessee = await lesseesOf(db, { limit: 1 })
  const schedulers = openPreparingDatabase({ url, log: createLog('bench', 'silent'), connections })
  try {
    return await rateOf(seconds, () => leaseTasks(schedulers, nextLessee()))
  } finally {
    await schedulers.destroy()
  }
}

async function rateOf(seconds: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  const end = began + seconds * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        await work()
        done += 1
      }
    }),
  )
  return (done * 1000) / (performance.now() - began)
}
