import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import type { Browser } from 'playwright-core'
import { disabledAfter } from '../../core/webhooks/schedule.ts'
import { freePorts } from '../../infra/local/ports.ts'
import { setPlan } from '../../store/db/accounts/set-plan.ts'
import { signIn as addUser, password } from '../api/accounts.ts'
import { type Gateway, startGateway } from '../api/gateway.ts'
import { addAccount } from '../store/database.ts'
import { type PaperNode, startPaperNode } from '../workflows/paper-node.ts'
import { type Parts, startParts } from '../workflows/parts.ts'
import { keep, openBrowser, openTab, settled, signIn, sizes, until } from './open-browser.ts'
import { built } from './site.ts'

/** Story 09: webhooks by real deliveries: Postgres, Temporal and workflows, and a receiver that fails. */

const pauseMs = 6_000
const retryDelaysMs = [pauseMs, pauseMs, pauseMs, pauseMs]

let receiver: Awaited<ReturnType<typeof startReceiver>>
let parts: Parts
let node: PaperNode
let gateway: Gateway
let browser: Browser
let origin: string

/** Answers 500 to the first `failures` requests of a path, and keeps all bodies. */
async function startReceiver() {
  const bodies: string[] = []
  const left = { value: 0 }
  const server = createServer(async (request, reply) => {
    let body = ''
    for await (const part of request) body += part
    bodies.push(body)
    const isFailing = left.value > 0
    left.value -= 1
    reply.writeHead(isFailing ? 500 : 204).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...{ host, bodies },
    failNext: (failures: number) => {
      left.value = failures
    },
    stop: () => server.close(),
  }
}

test.before(async () => {
  receiver = await startReceiver()
  parts = await startParts({ trustedHosts: [receiver.host], retryDelaysMs })
  node = await startPaperNode({ db: parts.db, objects: parts.objects })
  const port = (await freePorts(1))[0] ?? 0
  origin = `http://127.0.0.1:${port}`
  const { databaseUrl, secret, trustedHosts, objects } = parts.config
  gateway = await startGateway({
    ...{ databaseUrl, secret, trustedHosts, objects },
    ...{ publicUrl: origin, dashboardFolder: built, rateLimits: 'off' },
  })
  await gateway.server.listen({ port, host: '127.0.0.1' })
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await node?.stop()
  await gateway?.stop()
  await parts?.stop()
  receiver?.stop()
})

/** Opens the page of webhooks as a new customer. */
async function opened() {
  const accountId = await addAccount(parts.db, 10_000)
  await setPlan(parts.db, { accountId, plan: 'pro' })
  const { email } = await addUser({ ...gateway, db: parts.db }, accountId)
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  await signIn(tab, { url: `${origin}/webhooks`, email, password })
  await settled(tab.page)
  return { ...{ accountId, context, tab }, page: tab.page }
}

const shape = /^whsec_[A-Za-z0-9+/=_-]{30,}$/
const attempts = `[...document.querySelectorAll('.attempts li > span')].map((s) => s.textContent.trim()).join(' ')`
const countdown = `document.querySelector('.attempts .quiet time')?.textContent`
const status = `document.querySelector('.delivery .state')?.textContent.trim()`
const headState = `document.querySelector('.page-head .state')?.textContent.trim()`

test.serial('a webhook tells its secret once, its attempts, and is sent again', async (t) => {
  const { accountId, context, tab, page } = await opened()
  await page.click('.page-head button')
  await page.fill('input[name=url]', `http://${receiver.host}/hook`)
  await page.click('dialog button[type=submit]')
  const secret = (await page.locator('.secret').textContent()) ?? ''
  t.regex(secret.trim(), shape)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  t.is(await page.locator('.secret').textContent(), secret)
  await keep(page, 'story-09-secret')
  await page.click('text=I have kept it')
  await page.waitForURL('**/webhooks/*')
  await page.waitForSelector('text=Nothing sent yet')
  t.false((await page.content()).includes(secret.trim()))

  receiver.failNext(2)
  const jobId = await parts.submit(accountId, { name: 'told', width: 64, height: 64, duration: 1 })
  t.is((await parts.waitUntil(accountId, jobId)).state, 'completed')
  await until(page, `${attempts} === '500'`)
  await until(page, `/^in \\d sec/.test(${countdown})`)
  await keep(page, 'story-09-countdown')
  const first = await page.evaluate(countdown)
  await until(page, `${countdown} !== '${first}'`)
  await until(page, `${attempts} === '500 500'`)
  await until(page, `${attempts} === '500 500 204'`)
  t.is(await page.evaluate(status), 'succeeded')

  await page.click('text=Body as sent')
  const shown = JSON.parse((await page.textContent('.deliveries details pre')) ?? '')
  t.is(new Set(receiver.bodies).size, 1)
  t.deepEqual(shown, JSON.parse(receiver.bodies[0] ?? ''))
  t.is(shown.jobId, jobId)
  const sentBefore = receiver.bodies.length
  await page.click('.deliveries >> text=Send again')
  await until(page, `document.querySelectorAll('.attempts .good').length === 2`)
  t.is(receiver.bodies.length, sentBefore + 1)
  t.is(receiver.bodies.at(-1), receiver.bodies[0])
  await keep(page, 'story-09-sent-again')
  t.deepEqual(tab.faults, [])
  await context.close()
})

test.serial('twenty failures in a row disable a webhook; one click enables it', async (t) => {
  const { context, page } = await opened()
  await page.click('.page-head button')
  await page.fill('input[name=url]', `http://${receiver.host}/dead`)
  await page.click('dialog button[type=submit]')
  await page.click('text=I have kept it')
  await page.waitForURL('**/webhooks/*')
  receiver.failNext(Number.POSITIVE_INFINITY)
  for (let i = 1; i <= disabledAfter; i += 1) {
    await page.click('.page-head >> text=Send a test')
    await until(page, `document.querySelectorAll('.deliveries > li').length === ${i}`)
  }
  await until(page, `${headState} === 'disabled'`)
  await page.waitForSelector('text=20 of 20 failures in a row')
  await keep(page, 'story-09-disabled')
  receiver.failNext(0)
  await page.click('.page-head >> text=Enable')
  await until(page, `${headState} === 'active'`)
  t.is(await page.locator('text=failures in a row').count(), 0)
  await page.click('.page-head >> text=Send a test')
  await until(page, `${status} === 'succeeded'`)
  await context.close()
})
