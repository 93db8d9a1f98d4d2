import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test from 'ava'
import type { Browser } from 'playwright-core'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import {
  axe,
  fits,
  keep,
  openBrowser,
  openTab,
  settled,
  signIn,
  sizes,
  until,
} from '../open-browser.ts'
import { openSite, type Site } from '../site.ts'

/** Cards that follow the demo film, and the programs that one of them gives, run as they are copied. */

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'farm-test-'))
const readable = { permissions: ['clipboard-read', 'clipboard-write'] }

let site: Site
let browser: Browser
test.before(async () => {
  site = await openSite()
  browser = await openBrowser()
})
test.after.always(async () => {
  rmSync(folder, { recursive: true, force: true })
  await browser?.close()
  await site?.gateway.stop()
})

const dialogFits = `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('dialog'))`

/** Completes a job, as its render would. */
async function complete(accountId: string, jobId: string): Promise<void> {
  const { db, objects } = site.gateway
  const outputKey = `accounts/${accountId}/jobs/${jobId}/output`
  await objects.put(outputKey, Buffer.from('a film'))
  await db.updateTable('jobs').set({ state: 'rendering' }).where('id', '=', jobId).execute()
  await settleJob(db, {
    ...{ accountId, jobId, reason: 'test' },
    settlement: {
      ...{ to: 'completed', outputKey, thumbnailKey: null },
      result: { duration: 2, size: 6, width: 320, height: 180, format: 'mp4' },
      links: { url: 'https://example.com/o', thumbnailUrl: null },
    },
  })
}

/** Completes each job of an account that is submitted while something goes on. */
async function completing<T>(accountId: string, doing: Promise<T>): Promise<T> {
  const ending = new AbortController()
  const done = doing.finally(() => ending.abort())
  while (!ending.signal.aborted) {
    const open = await site.gateway.db
      .selectFrom('jobs')
      .select('id')
      .where('account_id', '=', accountId)
      .where('state', '=', 'queued')
      .execute()
    for (const { id } of open) await complete(accountId, id)
    await sleep(50, undefined, { signal: ending.signal }).catch(() => undefined)
  }
  return await done
}

test.serial('three ways on follow the demo film, and none before its end', async (t) => {
  const { customer, signsIn } = await site.user()
  const context = await browser.newContext({ viewport: sizes.desktop, ...readable })
  const tab = await openTab(context)
  const { page } = tab
  await signIn(tab, signsIn)
  await page.click('text=Render the demo film')
  await page.waitForURL('**/jobs/*')
  const jobAddress = page.url()
  await page.waitForSelector('.job-progress')
  t.is(await page.locator('.three-ways').count(), 0)
  await complete(customer.accountId, jobAddress.slice(jobAddress.lastIndexOf('/') + 1))
  await page.waitForSelector('.three-ways')
  await settled(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      await keep(page, `three-ways-${size}-${colorScheme}`)
      t.deepEqual([await axe(page), await fits(page)], [[], true], `${size} ${colorScheme}`)
    }
  }
  await page.setViewportSize(sizes.desktop)

  await page.click('text=Open it in the editor')
  await page.waitForURL('**/editor?job=*')
  await page.waitForSelector('.workshop')
  t.is(await page.textContent('h1'), 'launch')
  await page.goBack()

  await page.click('text=Open its table')
  await page.waitForURL('**/bulks/new?example=invitations')
  await page.waitForSelector('text=Render 5 rows')
  t.is(await page.inputValue('main select'), 'example invitations')
  t.is(await page.locator('.fault-list').count(), 0)
  await keep(page, 'three-ways-table')
  t.deepEqual(tab.faults, [])
  await context.close()
})

test.serial('the programs with the new key run as copied', async (t) => {
  const { customer, signsIn } = await site.user()
  const context = await browser.newContext({ viewport: sizes.desktop, ...readable })
  const tab = await openTab(context)
  const { page } = tab
  await signIn(tab, signsIn)
  await page.click('text=Render the demo film')
  await page.waitForURL('**/jobs/*')
  await complete(customer.accountId, page.url().slice(page.url().lastIndexOf('/') + 1))
  await page.click('text=Make a key')
  const key = (await page.locator('.secret').textContent()) ?? ''
  t.regex(key, /^svc_[0-9a-f]{64}$/)
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport)
    await keep(page, `three-ways-programs-${size}`)
    t.deepEqual([await axe(page), await fits(page)], [[], true], size)
    t.true(await page.evaluate(dialogFits), size)
  }
  await page.setViewportSize(sizes.desktop)

  const copied = async (language: string) => {
    const shown = page.locator('.programs details', { hasText: language })
    if ((await shown.getAttribute('open')) === null) await shown.locator('summary').click()
    await shown.locator('button').click()
    await shown.locator('text=Copied').waitFor()
    return (await page.evaluate('navigator.clipboard.readText()')) as string
  }
  const ran = async (program: string, given: readonly string[]) =>
    (await completing(customer.accountId, run(program, [...given]))).stdout
  const saved = async (name: string, language: string) => {
    const file = join(folder, name)
    writeFileSync(file, await copied(language))
    return file
  }
  t.regex(await ran('sh', ['-c', await copied('curl')]), /"state":"completed"/)
  const file = new RegExp(`^${site.origin}/objects/`)
  t.regex(await ran(process.execPath, [await saved('film.mts', 'TypeScript')]), file)
  const python = await saved('film.py', 'Python')
  const hasPython = await run('python3', ['--version']).then(
    () => true,
    () => false,
  )
  if (hasPython) t.regex(await ran('python3', [python]), file)
  else t.log('This machine has no python3, so the Python program was not run.')

  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  t.is(await page.locator('.secret').textContent(), key)
  await page.click('text=I have kept it')
  await until(page, `!document.querySelector('.secret')`)
  await page.reload()
  await page.waitForSelector('.three-ways')
  t.false((await page.content()).includes(key))
  t.deepEqual(tab.faults, [])
  await context.close()
})
