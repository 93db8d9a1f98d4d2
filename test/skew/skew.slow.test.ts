import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { sql } from 'kysely'
import { checkStore } from '../../store/fsck.ts'
import { openObjectStore } from '../../store/objects/open.ts'
import { type FarmOfTwo, type Release, startFarmOfTwo } from './farm-of-two.ts'
import { checkOutReleaseBefore } from './release-before.ts'

// Two releases take minutes, so they run by a command of their own: `npm run test:skew`.
const skew = process.env.FARM_TEST_SKEW ? test.serial : test.skip

const items = 260
const compared = [0, 130, 259]

/** A film of its own for each number; it moves all the time. */
const card = {
  ...{ width: 320, height: 180, frameRate: 25, duration: 3, name: 'card' },
  visuals: [{ type: 'TEXT', html: '<b>Card {{n}}</b>', enterEnd: 3, enterAnimation: 'slideleft' }],
}
const cut = (n: number) => ({
  ...{ width: 640, height: 360, frameRate: 25, name: `cut ${n}` },
  scenes: [1, 2, 3, 4].map((scene) => ({
    duration: 4,
    visuals: [
      { type: 'TEXT', html: `<i>${n} ${scene}</i>`, enterEnd: 4, enterAnimation: 'slideup' },
    ],
  })),
})

type Customer = Awaited<ReturnType<FarmOfTwo['addCustomer']>>
type Job = { readonly id: string; readonly state: string; readonly url: string | null }

/** Asks an api until it answers. */
async function ask<T>(url: string, { key }: Customer, body?: object): Promise<T> {
  for (;;) {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const post = body && { method: 'POST', body: JSON.stringify(body) }
    const reply = await fetch(url, { headers, ...post }).catch(() => undefined)
    if (reply?.ok) return (await reply.json()) as T
    if (reply && reply.status < 500) throw new Error(`${reply.status} ${await reply.text()}`)
    await sleep(200)
  }
}

const submit = async (api: string, customer: Customer, body: object) =>
  (await ask<{ jobId: string }>(`${api}/api/render/api-key`, customer, body)).jobId

async function finished(api: string, customer: Customer, id: string): Promise<Job> {
  for (;;) {
    const job = await ask<Job>(`${api}/api/jobs/${id}`, customer)
    if (['completed', 'failed', 'cancelled'].includes(job.state)) return job
    await sleep(200)
  }
}

async function fileOf(api: string, customer: Customer, id: string): Promise<Buffer> {
  const job = await finished(api, customer, id)
  if (job.url === null) throw new Error(JSON.stringify(job))
  return Buffer.from(await (await fetch(job.url)).arrayBuffer())
}

/** Changes a farm under load from one release to another, role by role, and judges what came of it. */
async function changeOver(t: ExecutionContext, engine: string | undefined): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rm(data, { recursive: true, force: true }))
  const before = await checkOutReleaseBefore(join(data, 'release-before'))
  const older: Release = { name: 'older', program: before.program }
  const newer: Release = { name: 'newer', ...(engine !== undefined && { engine }) }
  const farm = await startFarmOfTwo(data)
  t.teardown(() => farm.stop())
  const openOf = async () => {
    const { rows } = await sql<{ open: number }>`
      select count(*) as open from jobs where bulk_id is not null and finished_at is null`.execute(
      farm.db,
    )
    return rows[0]?.open ?? 0
  }
  await farm.command(['migrate'], older)
  const oldRoles = {
    scheduler: await farm.start('scheduler', older),
    workflows: await farm.start('workflows', older),
    api: await farm.start('api', older),
    worker: await farm.start('worker', older),
  }
  const [oldApi, newApi] = [farm.apiOf(older), farm.apiOf(newer)]
  const reference = await farm.addCustomer()
  const expected = await Promise.all(
    compared.map(async (n) => {
      const id = await submit(oldApi, reference, { payload: card, variables: { n } })
      return await fileOf(oldApi, reference, id)
    }),
  )
  const expectedCut = await fileOf(
    oldApi,
    reference,
    await submit(oldApi, reference, { payload: cut(1) }),
  )

  const customer = await farm.addCustomer()
  const bulk = {
    payload: card,
    items: Array.from({ length: items }, (_, n) => ({ variables: { n } })),
  }
  const { jobIds } = await ask<{ jobIds: string[] }>(
    `${oldApi}/api/render/bulk/api-key`,
    customer,
    bulk,
  )
  const ids = [...jobIds, await submit(oldApi, customer, { payload: cut(1) })]

  // The order of docs/deployment.md, with a kill at each step.
  await farm.command(['migrate'], newer)
  await farm.start('scheduler', newer)
  await oldRoles.scheduler.kill()
  ids.push(await submit(oldApi, customer, { payload: cut(2) }))
  const worker = await farm.start('worker', newer)
  await worker.kill()
  await farm.start('worker', { ...newer, name: 'newer' })
  ids.push(await submit(oldApi, customer, { payload: cut(3) }))
  const newWorkflows = await farm.start('workflows', newer)
  await oldRoles.workflows.kill()
  await newWorkflows.kill()
  await farm.start('workflows', newer)
  ids.push(await submit(oldApi, customer, { payload: cut(4) }))
  await farm.start('api', newer)
  await oldRoles.api.kill()
  const open = await openOf()
  t.true(open > 0, 'the bulk is open across the whole change')
  t.log(`${before.name} to this one: ${open} of ${items} films of the bulk were open at the end`)
  ids.push(await submit(newApi, customer, { payload: cut(5) }))

  for (const id of ids) {
    const job = await finished(newApi, customer, id)
    t.is(job.state, 'completed', JSON.stringify(job))
  }
  for (const [i, n] of compared.entries()) {
    const file = await fileOf(newApi, customer, jobIds[n] ?? '')
    t.true(file.equals(expected[i] ?? Buffer.alloc(0)), `card ${n}`)
  }
  t.true((await fileOf(newApi, customer, ids[items] ?? '')).equals(expectedCut))
  await judge(t, farm)

  // Back again: an older node, scheduler and workflows on the newer schema.
  if (engine !== undefined) return
  await farm.stopRoles()
  for (const role of ['scheduler', 'workflows', 'api', 'worker'] as const)
    await farm.start(role, older)
  const back = await submit(oldApi, customer, { payload: cut(6) })
  t.is((await finished(oldApi, customer, back)).state, 'completed')
}

/** No attempt failed by the change, each film is charged once, and the ledger balances. */
async function judge(t: ExecutionContext, { db, objects }: FarmOfTwo): Promise<void> {
  const store = openObjectStore(new URL(objects), { publicUrl: '', secret: '' })
  const { ledger, missing } = await checkStore(db, store)
  t.deepEqual({ ledger, missing }, { ledger: [], missing: [] })
  const { rows: charged } = await sql<{ id: string; captures: number }>`
    select j.id, count(e.id) as captures from jobs j
      left join credit_entries e on e.job_id = j.id and e.kind = 'capture'
    group by j.id having count(e.id) <> 1`.execute(db)
  t.deepEqual(charged, [])
  const { rows: failed } = await sql<{ error: unknown }>`
    select error from attempts where state = 'failed'`.execute(db)
  t.deepEqual(failed, [])
}

skew('a release replaces the one before while a bulk is open', async (t) => {
  t.timeout(600_000)
  await changeOver(t, undefined)
})

skew('a release with another engine replaces the one before it', async (t) => {
  t.timeout(600_000)
  await changeOver(t, 'of the next release')
})
