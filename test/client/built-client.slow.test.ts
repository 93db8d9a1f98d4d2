import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { type Browser, chromium, type Page } from 'playwright-core'
import type * as Client from '../../client/farm-client.ts'
import { attemptHeaders } from '../../core/webhooks/signature.ts'
import { buildClient } from '../../infra/client/build-client.ts'
import { findChromium } from '../../worker/bake/browser.ts'
import { sign } from '../../workflows/webhooks/sign.ts'
import { type Gateway, startGateway } from '../api/gateway.ts'

/**
 * Tests the client as customers get it: plain JavaScript, installed in Node and loaded by a
 * browser.
 */

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))
const built = join(folder, 'node_modules', 'render-farm-client')
const root = new URL('../../', import.meta.url).pathname

/** A page of a customer's origin, with the client's modules. */
const site = createServer(({ url = '/' }, response) => {
  if (url === '/') {
    const load = 'globalThis.client = await import("/farm-client.js"); document.title = "ready"'
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<!doctype html><title></title><script type="module">${load}</script>`)
  } else if (readdirSync(built).includes(url.slice(1))) {
    response.writeHead(200, { 'content-type': 'text/javascript' })
    response.end(readFileSync(join(built, url)))
  } else {
    response.writeHead(404).end()
  }
})

let gateway: Gateway
let address: string
let browser: Browser

test.before(async () => {
  mkdirSync(join(folder, 'node_modules'))
  buildClient(built)
  gateway = await startGateway()
  address = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('this test needs Chromium')
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})
test.after.always(async () => {
  await browser?.close()
  site.close()
  await gateway?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function openPage(): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  await page.waitForFunction('document.title === "ready"')
  return page
}

type FarmAddress = { readonly url: string; readonly apiKey: string }

test('a page of another origin submits, waits with progress, changes and deletes', async (t) => {
  const { key } = await gateway.customer()
  const page = await openPage()
  const told = await page.evaluate(
    async (address: FarmAddress) => {
      const { client } = globalThis as unknown as { client: typeof Client }
      const farm = client.createFarmClient(address)
      const payload = { type: 'image', visuals: [{ type: 'TEXT', text: 'Hello' }] } as const
      const { jobId } = await farm.submit({ payload })
      const states: string[] = []
      const job = await farm.wait(jobId, {
        onProgress({ state }) {
          states.push(state)
          if (states.length === 1) void farm.cancelJob(jobId)
        },
      })
      const { id } = await farm.templates.create({ name: 'A', payload })
      const { name } = await farm.templates.change(id, { name: 'B' })
      await farm.templates.delete(id)
      const jobs: string[] = []
      for await (const each of farm.listJobs()) jobs.push(each.id)
      return { jobId, states: [...new Set(states)], state: job.state, name, jobs }
    },
    { url: address, apiKey: key },
  )
  t.like(told, { states: ['queued', 'cancelled'], state: 'cancelled', name: 'B' })
  t.deepEqual(told.jobs, [told.jobId])
})

test('a page reads errors, and how long it is to wait', async (t) => {
  const { key } = await gateway.customer()
  const page = await openPage()
  const told = await page.evaluate(
    async (address: FarmAddress) => {
      const { client } = globalThis as unknown as { client: typeof Client }
      const farm = client.createFarmClient({ ...address, retries: 0 })
      const refused = async (call: () => Promise<unknown>) => {
        try {
          for (;;) await call()
        } catch (error) {
          if (!(error instanceof client.FarmApiError)) throw error
          return { status: error.status, retryAfter: error.retryAfter, errors: error.errors }
        }
      }
      return [
        await refused(() => farm.submit({ payload: { width: -1 } })),
        await refused(() => farm.credits.balance()),
      ]
    },
    { url: address, apiKey: key },
  )
  t.is(told[0]?.status, 400)
  t.is(told[0]?.errors[0]?.field, 'width')
  t.is(told[1]?.status, 429)
  t.true(Number(told[1]?.retryAfter) > 0)
})

test('a page verifies a webhook', async (t) => {
  const secret = `whsec_${Buffer.alloc(32, 'r').toString('base64')}`
  const timestamp = Math.floor(Date.now() / 1000)
  const body = '{"event":"render.completed"}'
  const attempt = {
    deliveryId: 'd1',
    event: 'render.completed',
    jobId: 'j1',
    timestamp,
    body,
  } as const
  const headers = attemptHeaders(attempt, sign(attempt, { secrets: [secret], number: 0 }))
  const page = await openPage()
  const verdicts = await page.evaluate(
    async (given: { headers: Record<string, string>; body: string; secret: string }) => {
      const { client } = globalThis as unknown as { client: typeof Client }
      const { text } = await client.verifyWebhook(given)
      const forged = client.verifyWebhook({ ...given, body: `${given.body} ` })
      return [text, await forged.catch((error: Error) => error.name)]
    },
    { headers, body, secret },
  )
  t.deepEqual(verdicts, [body, 'WebhookRefused'])
})

test('a program has it installed, with its types', async (t) => {
  t.timeout(120_000)
  const { key } = await gateway.customer()
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(folder, 'program.ts'),
    `import { createFarmClient, type Job, type RenderPayload } from 'render-farm-client'
import { verifyWebhook } from 'render-farm-client/webhooks'
declare const process: { env: Record<string, string> }
const farm = createFarmClient({ url: process.env.URL ?? '', apiKey: process.env.KEY ?? '' })
const payload: RenderPayload = { width: '{{ width }}', variables: { width: 64 } }
const { jobId } = await farm.submit({ payload })
const job: Job = await farm.cancelJob(jobId)
console.log(job.state, typeof verifyWebhook)
// @ts-expect-error a width is a number or a placeholder
export const wide: RenderPayload = { width: 'wide' }
// @ts-expect-error there is either a payload or a template
farm.submit.bind(null, { payload, template: 'tpl_0' })
`,
  )
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023']
  const lib = ['--lib', 'es2023,dom']
  await t.notThrowsAsync(run(tsc, [...options, ...lib, 'program.ts'], { cwd: folder }))
  const env = { ...process.env, URL: address, KEY: key }
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder, env })
  t.is(stdout, 'cancelled function\n')
})
