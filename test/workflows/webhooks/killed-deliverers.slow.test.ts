import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { sql } from 'kysely'
import { sealedAs } from '../../../core/webhooks/endpoint.ts'
import { sampleHappening } from '../../../core/webhooks/envelope.ts'
import { startTemporal } from '../../../infra/local/temporal.ts'
import { readSealKeys, seal } from '../../../runtime/seal.ts'
import { createWebhook } from '../../../store/db/webhooks/create-webhook.ts'
import { orderTestDelivery } from '../../../store/db/webhooks/order-delivery.ts'
import { addAccount, startDatabase } from '../../store/database.ts'
import { startReceiver } from './receiver.ts'

/**
 * FARM_TEST_EVENTS and FARM_TEST_KILLS select the longer run of decision 0017;
 * FARM_TEST_KILL_EVERY_MS gives deliverers on a busy machine more time to start.
 */
const events = Number(process.env.FARM_TEST_EVENTS ?? 200)
const maxKills = Number(process.env.FARM_TEST_KILLS ?? 5)
const killEveryMs = Number(process.env.FARM_TEST_KILL_EVERY_MS ?? 2_000)
const endpoints = 20
const patienceMs = 240_000 + events * 400

const secret = 'a secret for the test'
const script = new URL('deliverer.ts', import.meta.url).pathname

test('deliverers killed again and again lose no event', async (t) => {
  t.timeout(patienceMs + 120_000)
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const { db, url, stop } = await startDatabase()
  t.teardown(stop)
  const temporal = await startTemporal({ dataDir: folder })
  t.teardown(temporal.stop)
  const receiver = await startReceiver()
  t.teardown(receiver.stop)
  const env = {
    ...process.env,
    DATABASE_URL: url,
    TEMPORAL_ADDRESS: temporal.address,
    FARM_OBJECTS: pathToFileURL(join(folder, 'objects')).href,
    FARM_PUBLIC_URL: 'http://127.0.0.1:1',
    FARM_SECRET: secret,
    FARM_TRUSTED_HOSTS: receiver.host,
    RETRY_DELAYS_MS: '300,300,300,300',
  }
  const living: Deliverer[] = []
  t.teardown(() => living.map(({ child }) => child.kill('SIGKILL')))
  const start = () => living.push(startDeliverer(env))
  start()
  start()
  await Promise.all(living.map(({ ready }) => ready))

  const ids = await order(db, receiver.at('/ok'))
  let kills = 0
  const pending = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from webhook_deliveries where status = 'pending'`.execute(db)
    return rows[0]?.n ?? 0
  }
  const deadline = Date.now() + patienceMs
  while ((await pending()) > 0 && Date.now() < deadline) {
    await sleep(killEveryMs)
    if (kills === maxKills) continue
    living.shift()?.child.kill('SIGKILL')
    kills += 1
    start()
    // Waits until the next victim is at work: a slow machine starts fewer in the same time.
    await living[0]?.ready
  }
  const arrived = new Map<string, number>()
  for (const { deliveryId } of receiver.all) {
    arrived.set(deliveryId, (arrived.get(deliveryId) ?? 0) + 1)
  }
  t.log(
    `${arrived.size} of ${events} arrived, ${kills} kills, ${receiver.all.length - arrived.size} twice`,
  )
  t.true(kills > 0)
  t.deepEqual(
    ids.filter((id) => !arrived.has(id)),
    [],
  )
  const { rows } = await sql`select status, count(*) from webhook_deliveries group by 1`.execute(db)
  t.deepEqual(rows, [{ status: 'succeeded', count: events }])
})

type Deliverer = { readonly child: ChildProcess; readonly ready: Promise<unknown> }

function startDeliverer(env: NodeJS.ProcessEnv): Deliverer {
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  return { child, ready: once(child.stdout ?? child, 'data') }
}

async function order(db: Awaited<ReturnType<typeof startDatabase>>['db'], url: string) {
  const keys = readSealKeys({}, secret)
  const webhooks = await Promise.all(
    Array.from({ length: endpoints }, async () => {
      const accountId = await addAccount(db)
      const id = randomUUID()
      const sealed = seal(keys, `whsec_${Buffer.alloc(32).toString('base64')}`, sealedAs(id))
      const made = { id, accountId, url, description: '', secret: sealed }
      await createWebhook(db, { ...made, events: ['render.completed'] }, { limit: 1 })
      return { accountId, webhookId: id }
    }),
  )
  const happening = sampleHappening('render.completed', new Date().toISOString())
  const ids: string[] = []
  for (let done = 0; done < events; done += endpoints) {
    const batch = webhooks.map((webhook) => orderTestDelivery(db, { ...webhook, happening }))
    for (const id of await Promise.all(batch)) if (id) ids.push(id)
  }
  return ids
}
