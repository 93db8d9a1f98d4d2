import { readFileSync } from 'node:fs'
import test from 'ava'
import type { Browser } from 'playwright-core'
import { freePorts } from '../../infra/local/ports.ts'
import { settleJob } from '../../store/db/jobs/settle-jobs.ts'
import { signIn as addUser, password } from '../api/accounts.ts'
import { forWhom, submitBulk } from '../api/bulks/submitted-bulk.ts'
import { type Gateway, startGateway } from '../api/gateway.ts'
import {
  axe,
  fits,
  keep,
  openBrowser,
  openTab,
  signIn,
  sizes,
  until,
  visit,
  type Watched,
} from './open-browser.ts'

/** What the screens can do, in a real browser against a real gateway. */

const built = new URL('../../out/dashboard', import.meta.url).pathname

let gateway: Gateway
let browser: Browser
let origin: string

test.before(async () => {
  const port = (await freePorts(1))[0] ?? 0
  origin = `http://127.0.0.1:${port}`
  gateway = await startGateway({ publicUrl: origin, dashboardFolder: built, rateLimits: 'off' })
  await gateway.server.listen({ port, host: '127.0.0.1' })
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await gateway?.stop()
})

/** Opens a tab of a user of the account. */
async function signedIn(accountId: string): Promise<Watched & { close: () => Promise<void> }> {
  const { email } = await addUser(gateway, accountId)
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  await signIn(tab, { url: origin, email, password })
  return { ...tab, close: () => context.close() }
}

/** Looks at a page in both themes and both sizes: axe finds nothing, and nothing is too wide. */
async function looksWell(t: { deepEqual: CallableFunction }, { page }: Watched, name: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      const shown = `${name}-${size}-${colorScheme}`
      await keep(page, `feature-${shown}`)
      t.deepEqual([await axe(page), await fits(page)], [[], true], shown)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(sizes.desktop)
}

/** A bulk whose first job has a file and whose others failed, for two reasons. */
async function endedBulk() {
  const bulk = await submitBulk(gateway, 1000, forWhom('Ada', 'Bob', 'Cleo', 'Dan'))
  const { accountId, jobIds } = bulk
  const [done = '', ...failed] = jobIds
  const outputKey = `accounts/${accountId}/jobs/${done}/output`
  await gateway.objects.put(outputKey, Buffer.from('a film'))
  await gateway.db.updateTable('jobs').set({ state: 'rendering' }).where('id', '=', done).execute()
  const job = { accountId, reason: 'test' }
  await settleJob(gateway.db, {
    ...{ ...job, jobId: done },
    settlement: {
      ...{ to: 'completed', outputKey, thumbnailKey: null },
      result: { duration: 2, size: 6, width: 320, height: 180, format: 'mp4' },
      links: { url: 'https://example.com/o', thumbnailUrl: null },
    },
  })
  for (const [i, jobId] of failed.entries()) {
    const message = i === 0 ? 'No such sound' : 'No such picture'
    const error = { code: 'media_unreachable', message, details: [] } as const
    await settleJob(gateway.db, { ...job, jobId, settlement: { to: 'failed', error } })
  }
  return bulk
}

test.serial('a bulk’s files are saved as one ZIP by a button', async (t) => {
  const bulk = await endedBulk()
  const tab = await signedIn(bulk.accountId)
  const { page } = tab
  await visit(tab, `${origin}/bulks/${bulk.bulkId}`)
  await page.waitForSelector('.reasons li')
  await looksWell(t, tab, 'bulk')
  const saved = page.waitForEvent('download')
  await page.click('text=All files as ZIP')
  const download = await saved
  t.is(download.suggestedFilename(), 'party.zip')
  t.true(readFileSync(await download.path()).includes('1-Ada.mp4'))
  t.deepEqual(tab.faults, [])
  await tab.close()
})

test.serial('failed jobs render again as one new bulk', async (t) => {
  const bulk = await endedBulk()
  const tab = await signedIn(bulk.accountId)
  const { page } = tab
  const address = `${origin}/bulks/${bulk.bulkId}`
  await visit(tab, address)
  await page.waitForSelector('.reasons li')
  await page.locator('.reasons li', { hasText: 'No such sound' }).locator('button').click()
  await page.waitForURL((url) => url.pathname.startsWith('/bulks/blk_') && url.href !== address)
  await until(page, `document.querySelector('.count-bar p')?.textContent === '1 queued'`)
  await visit(tab, address)
  await page.waitForSelector('.reasons li')
  await page.click('text=Render all failed again')
  await page.waitForURL((url) => url.pathname.startsWith('/bulks/blk_') && url.href !== address)
  await until(page, `document.querySelector('.count-bar p')?.textContent === '3 queued'`)
  t.is((await bulk.get('/api/render/bulk')).json().total, 3)
  t.deepEqual(tab.faults, [])
  await tab.close()
})

test.serial('a film’s file is saved by the button on its page', async (t) => {
  const bulk = await endedBulk()
  const tab = await signedIn(bulk.accountId)
  const { page } = tab
  await visit(tab, `${origin}/jobs/${bulk.jobIds[0]}`)
  const saved = page.waitForEvent('download')
  await page.locator('a.button', { hasText: 'Download' }).click()
  t.is((await saved).suggestedFilename(), 'Ada.mp4')
  await tab.close()
})
