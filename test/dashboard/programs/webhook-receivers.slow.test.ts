import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test from 'ava'
import type { Browser } from 'playwright-core'
import { buildClient } from '../../../infra/client/build-client.ts'
import { freePorts } from '../../../infra/local/ports.ts'
import { setPlan } from '../../../store/db/accounts/set-plan.ts'
import { signIn as addUser, password } from '../../api/accounts.ts'
import { type Gateway, startGateway } from '../../api/gateway.ts'
import { addAccount } from '../../store/database.ts'
import { type Parts, startParts } from '../../workflows/parts.ts'
import { axe, fits, keep, openBrowser, openTab, signIn, sizes, until } from '../open-browser.ts'
import { built } from '../site.ts'

/** Receivers that the page of a webhook gives, run as copied, by real deliveries. */

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))

let ports: readonly number[]
let parts: Parts
let gateway: Gateway
let browser: Browser
let origin: string

test.before(async () => {
  ports = await freePorts(3)
  const hosts = ports.map((port) => `127.0.0.1:${port}`)
  parts = await startParts({ trustedHosts: hosts })
  origin = `http://${hosts[2]}`
  const { databaseUrl, secret, trustedHosts, objects } = parts.config
  gateway = await startGateway({
    ...{ databaseUrl, secret, trustedHosts, objects },
    ...{ publicUrl: origin, dashboardFolder: built, rateLimits: 'off' },
  })
  await gateway.server.listen({ port: ports[2] ?? 0, host: '127.0.0.1' })
  buildClient(join(folder, 'node_modules', 'render-farm-client'))
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await gateway?.stop()
  await parts?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Posts what nobody signed, as soon as the receiver listens. */
async function postForged(child: ChildProcess, port: number): Promise<number> {
  for (;;) {
    try {
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })).status
    } catch (error) {
      if (child.exitCode !== null) throw error
      await sleep(50)
    }
  }
}

const programs = [
  ['TypeScript', 'receiver.mts', process.execPath],
  ['Python', 'receiver.py', 'python3'],
] as const

for (const [at, [language, name, program]] of programs.entries()) {
  test.serial(`the ${language} receiver of the page verifies a real delivery`, async (t) => {
    const isThere = await run(program, ['--version']).then(
      () => true,
      () => false,
    )
    if (!isThere) {
      t.log(`This machine has no ${program}, so the ${language} receiver was not run.`)
      t.pass()
      return
    }
    const port = ports[at] ?? 0
    const accountId = await addAccount(parts.db, 10_000)
    await setPlan(parts.db, { accountId, plan: 'pro' })
    const { email } = await addUser({ ...gateway, db: parts.db }, accountId)
    const permissions = ['clipboard-read', 'clipboard-write']
    const context = await browser.newContext({ viewport: sizes.desktop, permissions })
    const tab = await openTab(context)
    const { page } = tab
    await signIn(tab, { url: `${origin}/webhooks`, email, password })
    await page.click('text=New webhook')
    await page.fill('input[name=url]', `http://127.0.0.1:${port}/`)
    await page.click('dialog button[type=submit]')
    const secret = ((await page.locator('.secret').textContent()) ?? '').trim()
    await page.click('text=I have kept it')
    await page.click('text=Verify it in your program')
    await page.locator('.receiver > summary', { hasText: language }).click()
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport)
      await keep(page, `receiver-${language}-${size}`)
      t.deepEqual([await axe(page), await fits(page)], [[], true], size)
    }
    await page.click(`text=Copy the ${language} receiver`)
    await page.waitForSelector('text=Copied')
    const file = join(folder, name)
    writeFileSync(file, (await page.evaluate('navigator.clipboard.readText()')) as string)
    const env = { ...process.env, FARM_WEBHOOK_SECRET: secret, PORT: String(port) }
    const child = spawn(program, [file], { env, stdio: 'ignore' })
    t.teardown(() => child.kill('SIGKILL'))
    t.is(await postForged(child, port), 400)

    await page.click('.page-head >> text=Send a test')
    await until(
      page,
      `document.querySelector('.delivery .state')?.textContent.trim() === 'succeeded'`,
    )
    t.is((await page.textContent('.attempts .good'))?.trim(), '204')
    t.deepEqual(tab.faults, [])
    await context.close()
  })
}

test.serial('the description of a webhook is shown and changed', async (t) => {
  const accountId = await addAccount(parts.db, 10_000)
  const { email } = await addUser({ ...gateway, db: parts.db }, accountId)
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  const { page } = tab
  await signIn(tab, { url: `${origin}/webhooks`, email, password })
  await page.click('text=New webhook')
  await page.fill('input[name=url]', 'https://example.com/hook')
  await page.click('dialog button[type=submit]')
  await page.click('text=I have kept it')
  await page.click('text=Describe it')
  await page.fill('dialog input[name=description]', 'Our shop’s orders')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('text=Our shop’s orders')
  await page.click('text=Change the description')
  t.is(await page.inputValue('dialog input[name=description]'), 'Our shop’s orders')
  await page.fill('dialog input[name=description]', '')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('text=Describe it')
  t.deepEqual(tab.faults, [])
  await context.close()
})
