import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { sql } from 'kysely'
import pg from 'pg'
import { startMinio } from '../../infra/local/minio.ts'
import { startPostgres } from '../../infra/local/postgres.ts'
import { debianPostgres } from '../../infra/setup/system.mjs'
import { openDatabase } from '../../store/db/database.ts'
import { checkStore } from '../../store/fsck.ts'
import { openObjectStore } from '../../store/objects/open.ts'
import { farm as runFarm } from '../cli/run-farm.ts'
import { silent } from '../store/database.ts'
import { listed } from '../store/objects/listed.ts'
import { filmOf, mediaFiles } from './film.ts'
import { type Farm, serveMedia, startFarm } from './running-farm.ts'

const run = promisify(execFile)
const binaries = debianPostgres().findLast((path) => existsSync(`${path}/bin/pg_dump`))
const drill = binaries === undefined ? test.skip : test

const home = mkdtempSync(join(tmpdir(), 'farm-test-'))
chmodSync(home, 0o711)
test.after.always(() => rmSync(home, { recursive: true, force: true }))

const tool = (name: string) => join(binaries ?? '', 'bin', name)

async function startCluster(name: string) {
  return await startPostgres({ dataDir: join(home, name), ...(binaries && { binaries }) })
}

/** Calls a farm's api with the key of an account that its database brought along. */
async function renderAs(farm: Farm, { apiKey, payload }: { apiKey: string; payload: unknown }) {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const call = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(farm.url + path, { ...init, headers })
    return (await reply.json()) as { jobId: string; state: string; url: string }
  }
  const body = JSON.stringify({ payload })
  const { jobId } = await call('/api/render/api-key', { method: 'POST', body })
  for (;;) {
    const job = await call(`/api/jobs/${jobId}`)
    if (job.state === 'completed') return Buffer.from(await (await fetch(job.url)).arrayBuffer())
    if (['failed', 'cancelled'].includes(job.state)) throw new Error(JSON.stringify(job))
    await sleep(100)
  }
}

drill('a farm comes back from a dump without the newest objects', async (t) => {
  const media = await serveMedia(await mediaFiles())
  t.teardown(() => media.close())
  const minio = await startMinio({ dataDir: join(home, 'minio') })
  t.teardown(() => minio.stop())
  const before = await startCluster('before')
  t.teardown(() => before.stop())
  const shared = { FARM_OBJECTS: minio.url, FARM_TRUSTED_HOSTS: media.hosts }
  const first = await startFarm({ env: { ...shared, DATABASE_URL: before.url } })
  t.teardown(() => first.stop())

  // Work before the dump, at the dump, and after it.
  const films = ['one', 'two'].map((name) => filmOf(media.at, name))
  const rendered = [await first.render(films[0]), await first.render(films[1])]
  const long = { ...filmOf(media.at, 'open'), scenes: filmOf(media.at).scenes.flatMap(copies) }
  const open = await first.submit(long)
  await first.waitFor(open, ({ frames }) => frames.done > 0)
  const dump = join(home, 'farm.dump')
  await run(tool('pg_dump'), ['-Fc', '-d', before.url, '-f', dump])
  const late = await first.render(filmOf(media.at, 'after the dump'))
  await first.stop()
  await before.stop()

  const objects = openObjectStore(new URL(minio.url), { publicUrl: '', secret: '' })
  const all = await listed(objects.list('accounts/'))
  const newest = all.toSorted((a, b) => b.modified.getTime() - a.modified.getTime())
  const lost = newest.slice(0, Math.ceil(all.length / 10)).map(({ key }) => key)
  // One more that films of the dump need, so that the check has something to find there.
  const segment = newest.findLast(({ key }) => key.endsWith('/segment-0'))?.key ?? ''
  await objects.remove([...lost, segment])

  // The runbook, from here on (docs/OPERATIONS.md, Restore).
  const began = performance.now()
  const after = await startCluster('after')
  t.teardown(() => after.stop())
  const admin = new pg.Client(after.url)
  await admin.connect()
  await admin.query('create role farm_customer nologin')
  await admin.query('grant farm_customer to farm')
  await run(tool('pg_restore'), ['--no-owner', '--exit-on-error', '-d', after.url, dump])
  const running = `select 1 from attempts where state = 'running' and expires_at > now()`
  while ((await admin.query(running)).rowCount !== 0) await sleep(200)
  await admin.end()
  const env = { DATABASE_URL: after.url, FARM_OBJECTS: minio.url }
  t.is((await runFarm(['migrate'], { env })).out, 'nothing to do, the schema is the newest\n')
  const seen = await runFarm(['fsck', '--json'], { env })
  t.is(seen.code, 1, seen.err)
  const found = JSON.parse(seen.out)
  t.true(found.missing.some(({ key }: { key: string }) => key === segment))
  t.deepEqual(found.ledger, [])
  const repair = ['fsck', '--repair', '--restored', '--why', 'the drill', '--json']
  const { mended } = JSON.parse((await runFarm(repair, { env })).out)
  t.true(mended.artifacts >= 1)
  const second = await startFarm({ env: { ...shared, DATABASE_URL: after.url } })
  t.teardown(() => second.stop())
  t.log(`back after ${((performance.now() - began) / 1000).toFixed(1)} s, ${all.length} objects`)

  for (const [i, payload] of films.entries()) {
    const again = await renderAs(second, { apiKey: first.apiKey, payload })
    t.true(again.equals(rendered[i]?.file ?? Buffer.alloc(0)), `film ${i}`)
  }
  const db = openDatabase({ url: after.url, log: silent })
  t.teardown(() => db.destroy())
  const stateOf = async (id: string) => {
    const { rows } = await sql<{ state: string }>`select state from jobs where id = ${id}`.execute(
      db,
    )
    return rows[0]?.state
  }
  const finals = ['completed', 'failed', 'cancelled']
  while (!finals.includes((await stateOf(open)) ?? '')) await sleep(200)
  t.is(await stateOf(open), 'completed')
  t.is(await stateOf(late.job.id), undefined, 'what came after the dump is lost')
  const report = await checkStore(db, objects)
  t.deepEqual(report.ledger, [])
  t.deepEqual(
    report.missing.filter(({ of }) => of !== 'file'),
    [],
  )
  const { rows: captures } = await sql<{ captured: number }>`
    select count(*) as captured from credit_entries where kind = 'capture' and job_id = ${open}`.execute(
    db,
  )
  t.is(captures[0]?.captured, 1)
})

/** The same scene several times, so that the film is long enough to be open at the dump. */
function copies<Scene extends { readonly id: string }>(scene: Scene): Scene[] {
  return [1, 2, 3, 4].map((n) => ({ ...scene, id: `${scene.id}${n}` }))
}
