import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { sealedAs } from '../../../core/webhooks/endpoint.ts'
import { sampleHappening } from '../../../core/webhooks/envelope.ts'
import { freePort } from '../../../infra/local/ports.ts'
import { seal } from '../../../runtime/seal.ts'
import { createWebhook } from '../../../store/db/webhooks/create-webhook.ts'
import { orderTestDelivery } from '../../../store/db/webhooks/order-delivery.ts'
import { writeDeliveries } from '../../../store/db/webhooks/write-deliveries.ts'
import { addAccount, addJob } from '../../store/database.ts'
import { type Parts, startParts } from '../parts.ts'
import { until } from './receiver.ts'

/**
 * Receivers that are down in every way, with retries later than any test: a healthy receiver gets
 * its events while every failing delivery sleeps.
 */
const retryDelaysMs = Array.from({ length: 4 }, () => 3_600_000)

type Bad = 'failing' | 'gone' | 'moved' | 'hanging' | 'refusing'
const kinds: readonly Bad[] = ['failing', 'gone', 'moved', 'hanging', 'refusing']
const statusOf: Partial<Record<Bad, number>> = { failing: 500, gone: 410, moved: 301 }

let parts: Parts
let bad: Awaited<ReturnType<typeof startServer>>
let good: Awaited<ReturnType<typeof startServer>>
let nobody: string

test.before(async () => {
  bad = await startServer()
  good = await startServer()
  nobody = `127.0.0.1:${await freePort()}`
  parts = await startParts({ trustedHosts: [bad.host, good.host, nobody], retryDelaysMs })
})
test.after.always(async () => {
  await parts?.stop()
  await bad?.stop()
  await good?.stop()
})

/** Answers as the path's first part says; `told` holds the deliveries of `/good`. */
async function startServer() {
  const told = new Set<string>()
  const server = createServer((request, response) => {
    request.resume()
    const kind = String(request.url).split('/')[1] as Bad | 'good'
    if (kind === 'good') told.add(String(request.headers['x-service-delivery-id']))
    if (kind === 'hanging') return
    const status = kind === 'good' ? 204 : statusOf[kind]
    response.writeHead(status ?? 500, status === 301 ? { location: '/good' } : {}).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    told,
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const badUrl = (kind: Bad, n: number) =>
  kind === 'refusing' ? `http://${nobody}/${n}` : `http://${bad.host}/${kind}/${n}`

async function addEndpoint(accountId: string, url: string) {
  const id = randomUUID()
  const secret = seal(parts.config.sealKeys, `whsec_${'a'.repeat(44)}`, sealedAs(id))
  const webhook = { id, accountId, url, events: ['render.completed'], description: '', secret }
  await createWebhook(parts.db, webhook as Parameters<typeof createWebhook>[1], { limit: 1000 })
  return { accountId, webhookId: id }
}

/** Ends jobs as the settlement does. */
async function endJobs(accountId: string, count: number, webhookUrl?: string) {
  for (let n = 0; n < count; n += 1) {
    const jobId = await addJob(parts.db, accountId, 1)
    if (webhookUrl !== undefined) {
      const change = { webhook_url: webhookUrl }
      await parts.db.updateTable('jobs').set(change).where('id', '=', jobId).execute()
    }
    const happening = { ...sampleHappening('render.completed', new Date().toISOString()), jobId }
    await writeDeliveries(parts.db, { accountId, happenings: [happening] })
  }
}

async function deliveriesOf(accountId: string) {
  return await parts.db
    .selectFrom('webhook_deliveries as d')
    .leftJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .select(['d.status', 'd.attempts'])
    .select((eb) => eb.fn.coalesce('w.url', 'd.url').as('url'))
    .where('d.account_id', '=', accountId)
    .execute()
}

/**
 * Checks that the endpoint's events, a test event and callbacks arrive, even at the host of dead
 * ones.
 */
async function notifyHealthy(accountId: string): Promise<void> {
  const healthy = await addEndpoint(accountId, `http://${good.host}/good/endpoint`)
  await endJobs(accountId, 1, `http://${good.host}/good/callback`)
  await endJobs(accountId, 1, `http://${bad.host}/good/callback-of-a-shared-host`)
  const happening = sampleHappening('render.completed', new Date().toISOString())
  await orderTestDelivery(parts.db, { ...healthy, happening })
  await until(async () => {
    const toGood = (await deliveriesOf(accountId)).filter(({ url }) => url?.includes('/good/'))
    return toGood.filter(({ status }) => status === 'succeeded').length === 5
  }, 'every event of healthy receivers')
}

async function isAnyRetried(accountId: string): Promise<boolean> {
  return (await deliveriesOf(accountId)).some(({ attempts }) => attempts.length > 1)
}

/** Waits until `count` deliveries of the account have had their first attempt. */
async function untilAttempted(accountId: string, count: number): Promise<void> {
  await until(async () => {
    const rows = await deliveriesOf(accountId)
    return rows.filter(({ attempts }) => attempts.length > 0).length >= count
  }, 'the first attempts at dead endpoints')
}

test.serial('three dead endpoints do not hold up the others of their account', async (t) => {
  const accountId = await addAccount(parts.db)
  for (let n = 0; n < 3; n += 1) await addEndpoint(accountId, badUrl('failing', n))
  await endJobs(accountId, 22)
  await untilAttempted(accountId, 60)
  await notifyHealthy(accountId)
  t.false(await isAnyRetried(accountId))
})

test.serial('fifty endpoints that are down in every way delay no others', async (t) => {
  const accountId = await addAccount(parts.db)
  for (let n = 0; n < 50; n += 1) {
    await addEndpoint(accountId, badUrl(kinds[n % kinds.length] ?? 'failing', n))
  }
  await endJobs(accountId, 4)
  await untilAttempted(accountId, 60)
  await notifyHealthy(accountId)
  t.false(await isAnyRetried(accountId))
})

test.serial('dead callbacks of many accounts hold up no other account', async (t) => {
  for (let n = 0; n < 20; n += 1) {
    const accountId = await addAccount(parts.db)
    await addEndpoint(accountId, badUrl('hanging', n))
    await endJobs(accountId, 4, badUrl(kinds[n % kinds.length] ?? 'failing', n))
  }
  const accountId = await addAccount(parts.db)
  await notifyHealthy(accountId)
  t.false(await isAnyRetried(accountId))
})
