import { readFileSync } from 'node:fs'
import test from 'ava'
import { settleJob } from '../../store/db/jobs/settle-jobs.ts'
import { bulkPath, card, forWhom, submitBulk } from '../api/bulks/submitted-bulk.ts'
import { looksWell } from './looks-well.ts'
import { keep, openTab, signIn, sizes, until, visit } from './open-browser.ts'
import { stageOfFile } from './stage.ts'

/** Features of the screens, in a real browser against a real stage.site.gateway. */

const stage = stageOfFile()

/** Opens a tab of a user of the account. */
async function signedIn(accountId: string, options: { timezoneId?: string } = {}) {
  return await stage.signedIn({ signsIn: await stage.site.userOf(accountId) }, options)
}

/** A bulk whose first job has a file and whose others failed, for two reasons. */
async function endedBulk() {
  const bulk = await submitBulk(stage.site.gateway, 1000, forWhom('Ada', 'Bob', 'Cleo', 'Dan'))
  const { accountId, jobIds } = bulk
  const [done = '', ...failed] = jobIds
  const outputKey = `accounts/${accountId}/jobs/${done}/output`
  await stage.site.gateway.objects.put(outputKey, Buffer.from('a film'))
  await stage.site.gateway.db
    .updateTable('jobs')
    .set({ state: 'rendering' })
    .where('id', '=', done)
    .execute()
  const job = { accountId, reason: 'test' }
  await settleJob(stage.site.gateway.db, {
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
    await settleJob(stage.site.gateway.db, { ...job, jobId, settlement: { to: 'failed', error } })
  }
  return bulk
}

test.serial('a bulk’s files are saved as one ZIP by a button', async (t) => {
  const bulk = await endedBulk()
  const tab = await signedIn(bulk.accountId)
  const { page } = tab
  await visit(tab, `${stage.site.origin}/bulks/${bulk.bulkId}`)
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
  const address = `${stage.site.origin}/bulks/${bulk.bulkId}`
  await visit(tab, address)
  await page.waitForSelector('.reasons li')
  await page
    .locator('.reasons li', { hasText: 'No such sound' })
    .locator('text=Render again')
    .click()
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
  await visit(tab, `${stage.site.origin}/jobs/${bulk.jobIds[0]}`)
  const saved = page.waitForEvent('download')
  await page.locator('a.button', { hasText: 'Download' }).click()
  t.is((await saved).suggestedFilename(), 'Ada.mp4')
  await tab.close()
})

test.serial('files of chosen jobs are saved by one button', async (t) => {
  const bulk = await endedBulk()
  const tab = await signedIn(bulk.accountId)
  const { page } = tab
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.check('input[aria-label="Choose all jobs that match"]')
  await page.waitForSelector('text=4 jobs chosen')
  await page.uncheck('input[aria-label="Choose all jobs that match"]')
  for (const name of ['Ada', 'Bob']) await page.check(`input[aria-label="Choose ${name}"]`)
  const saved = page.waitForEvent('download')
  await page.click('text=Download 1 file')
  const download = await saved
  t.is(download.suggestedFilename(), 'Ada.mp4')
  t.is(readFileSync(await download.path(), 'utf8'), 'a film')
  await page.waitForSelector('text=1 of 1 job, 1 saved')
  await keep(page, 'feature-jobs-saved')
  t.deepEqual(tab.faults, [])
  await tab.close()
})

test.serial('a file that is gone is told among those saved', async (t) => {
  const bulk = await endedBulk()
  const { db } = stage.site.gateway
  const [done = ''] = bulk.jobIds
  await db.updateTable('jobs').set({ output_key: null }).where('id', '=', done).execute()
  const tab = await signedIn(bulk.accountId)
  const { page } = tab
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.check('input[aria-label="Choose all jobs that match"]')
  await page.click('text=Download 1 file')
  await page.click('text=Do it')
  await page.waitForSelector('text=1 of 1 job, 0 saved, 1 refused')
  await page.waitForSelector('text=The job has no file any more')
  t.deepEqual(tab.faults, [])
  await tab.close()
})

/** An account with so many queued jobs, the first of which have failed. */
async function withJobs(jobs: number, failed: number) {
  const customer = await stage.site.gateway.customer(10_000)
  const jobIds: string[] = []
  for (let from = 0; from < jobs; from += 50) {
    const names = Array.from({ length: Math.min(50, jobs - from) }, (_, i) => `Guest ${from + i}`)
    const body = { payload: card, items: forWhom(...names) }
    jobIds.push(...(await customer.post(bulkPath, body)).json().jobIds)
  }
  const error = { code: 'media_unreachable', message: 'No such picture', details: [] } as const
  for (const jobId of jobIds.slice(0, failed)) {
    const job = { accountId: customer.accountId, jobId, reason: 'test' }
    await settleJob(stage.site.gateway.db, { ...job, settlement: { to: 'failed', error } })
  }
  return { ...customer, jobIds }
}

test.serial('all jobs that match are cancelled, though few are loaded', async (t) => {
  const { accountId, get } = await withJobs(230, 4)
  const tab = await signedIn(accountId)
  const { page } = tab
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.check('input[aria-label="Choose all jobs that match"]')
  await page.uncheck('input[aria-label="Choose Guest 229"]')
  await page.waitForSelector('text=229 jobs chosen')
  await looksWell(t, tab, 'jobs-all')
  await page.click('text=Cancel 225 jobs')
  await page.waitForSelector('dialog')
  await keep(page, 'feature-jobs-all-question')
  await page.click('text=Do it')
  await page.waitForSelector('text=225 of 225 jobs, 225 cancelled')
  await keep(page, 'feature-jobs-all-done')
  const { counts } = (await get('/api/jobs?counts=true&pageSize=1')).json()
  t.like(counts, { cancelled: 225, failed: 4, queued: 1 })
  t.deepEqual(tab.faults, [])
  await tab.close()
})

test.serial('failed jobs of a filter render again, and their ids are copied', async (t) => {
  const { accountId, jobIds, get } = await withJobs(12, 3)
  const tab = await signedIn(accountId)
  const { page } = tab
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await visit(tab, `${stage.site.origin}/jobs?state=failed`)
  await page.check('input[aria-label="Choose Guest 1"]')
  await page.click('text=Choose all 3 jobs that match')
  await page.click('text=Copy ids')
  await page.waitForSelector('text=The ids are copied.')
  const copied = String(await page.evaluate('navigator.clipboard.readText()'))
  t.deepEqual(copied.split('\n').toSorted(), jobIds.slice(0, 3).toSorted())
  await page.click('text=Render 3 jobs again')
  await page.click('text=Do it')
  await page.waitForSelector('text=3 of 3 jobs, 3 rendered again')
  const { counts } = (await get('/api/jobs?counts=true&pageSize=1')).json()
  t.like(counts, { failed: 3, queued: 12 })
  t.deepEqual(tab.faults, [])
  await tab.close()
})

test.serial('an act on many jobs stops and goes on', async (t) => {
  const { accountId, get } = await withJobs(120, 0)
  const tab = await signedIn(accountId)
  const { page } = tab
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.check('input[aria-label="Choose all jobs that match"]')
  await page.click('text=Cancel 120 jobs')
  await page.click('text=Do it')
  await page.click('text=Stop')
  await page.waitForSelector('text=Go on')
  const cancelled = async () =>
    (await get('/api/jobs?counts=true&pageSize=1')).json().counts.cancelled
  const atStop = await cancelled()
  t.true(atStop < 120, `${atStop} were cancelled before the stop`)
  await keep(page, 'feature-jobs-stopped')
  await page.click('text=Go on')
  await page.waitForSelector('text=120 of 120 jobs, 120 cancelled')
  t.is(await cancelled(), 120)
  await tab.close()
})

test.serial('chosen columns are kept over a reload', async (t) => {
  const { accountId } = await withJobs(3, 1)
  const tab = await signedIn(accountId)
  const { page } = tab
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.click('text=Columns')
  for (const name of ['Stage', 'Frames/s', 'Left', 'Length', 'Credits']) {
    await page.locator('.menu label', { hasText: name }).locator('input').check()
  }
  await looksWell(t, tab, 'jobs-columns')
  await page.locator('.menu label', { hasText: 'Left' }).locator('input').uncheck()
  await visit(tab, `${stage.site.origin}/jobs`)
  await page.waitForSelector('thead th')
  t.deepEqual(await page.locator('thead th').allTextContents(), [
    ...['Choose all', 'Job', 'State', 'Stage', 'Frames/s', 'Length', 'Credits', 'Created'],
  ])
  t.deepEqual(tab.faults, [])
  await tab.close()
})

test.serial('a bar is dragged and nudged on the timeline, and taken back', async (t) => {
  const { accountId, post } = await stage.site.gateway.customer()
  const scenes = [{ duration: 4, visuals: [{ type: 'TEXT', text: 'moved', enterBegin: 1 }] }]
  const made = await post('/api/templates', { name: 'moves', payload: { scenes } })
  const tab = await signedIn(accountId)
  const { page } = tab
  await visit(tab, `${stage.site.origin}/editor?template=${made.json().id}`)
  const row = page.locator('.bar-row', { hasText: 'moved' })
  const code = page.locator('.cm-content')
  await code.waitFor()
  const track = (await row.locator('.track').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const y = track.y + track.height / 2
  const at = (seconds: number) => track.x + (track.width * seconds) / 4
  const drag = async (from: number, to: number) => {
    await page.mouse.move(from, y)
    await page.mouse.down()
    await page.mouse.move((from + to) / 2, y)
    await page.mouse.move(to, y)
    await page.mouse.up()
  }
  const has = async (...parts: string[]) => {
    for (const part of parts) await code.locator('.cm-line', { hasText: part }).waitFor()
  }
  await drag(at(4) - 2, at(3) - 2)
  await has('"exitEnd": 3')
  await keep(page, 'feature-timeline-dragged')
  await page.waitForSelector('.bar-row .hidden:text("from 1.0 s to 3.0 s")', { state: 'attached' })
  await drag(at(2), at(1.5))
  await has('"enterBegin": 0.5', '"exitEnd": 2.5')
  await row.focus()
  await row.press('Shift+ArrowRight')
  await row.press('Shift+ArrowRight')
  await has('"enterBegin": 0.567', '"exitEnd": 2.567')
  await row.press('Shift+Alt+ArrowLeft')
  await has('"exitEnd": 2.533')
  t.true(await row.evaluate((element) => element === element.ownerDocument.activeElement))
  for (let undone = 0; undone < 5; undone += 1) await row.press('Control+z')
  await has('"enterBegin": 1')
  t.is(await code.locator('.cm-line', { hasText: 'exitEnd' }).count(), 0)
  await row.press('Control+Shift+Z')
  await has('"exitEnd": 3')
  await looksWell(t, tab, 'editor-timeline')
  t.deepEqual(
    tab.faults.filter((fault) => !fault.includes('preview')),
    [],
  )
  await tab.close()
})

test.serial('zone and density are kept, and keys lead over the pages', async (t) => {
  const { accountId } = await withJobs(3, 0)
  const { context, tab, page } = await signedIn(accountId, { timezoneId: 'Asia/Tokyo' })
  await visit(tab, `${stage.site.origin}/jobs`)
  const time = page.locator('tbody time').first()
  t.regex((await time.getAttribute('title')) ?? '', / GMT\+9$/)
  const height = async () => (await page.locator('tbody tr').first().boundingBox())?.height
  t.is(await height(), 56)
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await page.waitForURL('**/settings')
  await page.locator('label', { hasText: 'Time zone' }).locator('select').selectOption('UTC')
  await page.locator('label', { hasText: 'Density' }).locator('select').selectOption('compact')
  await page.click('text=All shortcuts')
  await looksWell(t, tab, 'settings')
  await visit(tab, `${stage.site.origin}/jobs`)
  t.regex((await time.getAttribute('title')) ?? '', / UTC$/)
  t.is(await height(), 40)
  await looksWell(t, tab, 'jobs-compact')
  await page.keyboard.press('/')
  t.is(await page.evaluate('document.activeElement.type'), 'search')
  await page.keyboard.type('?g')
  t.is(await page.locator('dialog').count(), 0)
  await page.locator('h1').click()
  await page.keyboard.press('Shift+?')
  await page.waitForSelector('dialog .keys')
  await looksWell(t, tab, 'shortcuts')
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog', { state: 'detached' })
  await visit(tab, `${stage.site.origin}/settings`)
  await page.locator('label', { hasText: 'Shortcuts of single keys' }).locator('input').uncheck()
  await page.keyboard.press('Shift+?')
  await page.keyboard.press('g')
  await page.keyboard.press('j')
  t.is(await page.locator('dialog').count(), 0)
  t.is(new URL(page.url()).pathname, '/settings')
  t.deepEqual(tab.faults, [])
  await context.close()
})

test.serial('a watched job’s end is notified once, others’ are not', async (t) => {
  const { accountId, jobIds, post } = await withJobs(3, 0)
  const signsIn = await stage.site.userOf(accountId)
  const { origin } = stage.site
  const context = await stage.browser.newContext({ viewport: sizes.desktop })
  await context.grantPermissions(['notifications'], { origin })
  // Headless Chromium shows none: what a page asks for is kept instead. The page never has the focus.
  await context.addInitScript(`
    window.told = []
    window.Notification = class {
      static permission = 'granted'
      static requestPermission = async () => 'granted'
      constructor(title, options) { window.told.push([title, options.body]) }
    }
    document.hasFocus = () => false
    Object.defineProperty(document, 'hidden', { get: () => window.isHidden === true })
  `)
  const tab = await openTab(context)
  const { page } = tab
  await signIn(tab, signsIn)
  await visit(tab, `${stage.site.origin}/settings`)
  await page.locator('label', { hasText: 'Notify me' }).locator('input').check()
  for (const jobId of jobIds.slice(0, 2)) {
    await visit(tab, `${stage.site.origin}/jobs/${jobId}`)
    await page.click('button:text-is("Watch")')
    await page.waitForSelector('button:text-is("Watched")')
  }
  const second = await openTab(context)
  await visit(second, `${stage.site.origin}/jobs`)
  for (const each of [page, second.page]) await each.evaluate('window.isHidden = true')
  await post(`/api/jobs/${jobIds[2]}/cancel`)
  await post(`/api/jobs/${jobIds[0]}/cancel`)
  await until(page, `window.told.length === 1`)
  t.deepEqual(await page.evaluate('window.told'), [['Guest 0 is cancelled', '']])
  await until(second.page, `document.title.startsWith('(1) ')`)
  await post(`/api/jobs/${jobIds[1]}/cancel`)
  await until(page, `document.title.startsWith('(2) ')`)
  await until(page, `window.told.length === 2`)
  t.deepEqual(await second.page.evaluate('window.told'), [])
  await page.evaluate(
    `window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'))`,
  )
  t.false(String(await page.evaluate('document.title')).startsWith('('))
  t.deepEqual([...tab.faults, ...second.faults], [])
  await context.close()
})
