import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { withSeenMarks } from '../../../dashboard/src/words/direction-marks.ts'
import { password } from '../../api/operator/operators.ts'
import { addJob, addLostAttempt } from '../../store/database.ts'
import { screensLookWell, signInLooksWell } from '../looks-well.ts'
import { axe, keep, openBrowser, openTab, signIn, sizes, visit } from '../open-browser.ts'
import type { Site } from '../site.ts'
import {
  addAlerts,
  addFilm,
  addNodes,
  hostile,
  letNodesSpeak,
  openAs,
  openFarmSite,
} from './site.ts'

/** Every page of operators in a real browser against a real gateway, with rows of every kind. */

let site: Site
let browser: Browser
let nodes: readonly string[]
let film: Awaited<ReturnType<typeof addFilm>>
let screens: Readonly<Record<string, string>>

test.before(async () => {
  site = await openFarmSite()
  browser = await openBrowser()
  nodes = await addNodes(site)
  film = await addFilm(site)
  await addAlerts(site, film)
  screens = {
    now: '/farm',
    nodes: '/farm/nodes',
    grid: '/farm/nodes?view=grid',
    node: `/farm/nodes/${nodes[5]}`,
    pools: '/farm/pools',
    queue: '/farm/queue',
    jobs: '/farm/jobs',
    'no-jobs': '/farm/jobs?state=failed&name=nothing',
    job: `/farm/jobs/${film.jobId}`,
    log: `/farm/tasks/${film.taskId}`,
    accounts: '/farm/accounts',
    key: `/farm/accounts?q=${film.key.slice(0, 12)}`,
    account: `/farm/accounts/${film.accountId}`,
    quarantines: '/farm/quarantines',
    alerts: '/farm/alerts',
    maintenance: '/farm/maintenance',
    audit: '/farm/audit',
    access: '/farm/access',
    certificates: '/farm/certificates',
    charts: '/farm/charts',
    nowhere: '/farm/no/such/page',
  }
})
test.after.always(async () => {
  await browser?.close()
  await site?.gateway.stop()
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const size of ['desktop', 'phone'] as const) {
    test.serial(`operators’ pages are accessible, ${colorScheme}, on a ${size}`, async (t) => {
      const look = { viewport: sizes[size], colorScheme }
      const { origin } = site
      await signInLooksWell(t, browser, { url: `${origin}/farm`, ...look })
      const tab = await openAs({ site, browser }, 'admin', look)
      const kept = (name: string) => `farm-${name}-${size}-${colorScheme}`
      const before = () => letNodesSpeak(site)
      await screensLookWell(t, tab, { origin, screens, kept, before })
      t.deepEqual(tab.faults, [])
      await tab.context.close()
    })
  }
}

test.serial('several nodes are stopped at once with one reason', async (t) => {
  const tab = await openAs({ site, browser }, 'operator')
  const { page } = tab
  await letNodesSpeak(site)
  await visit(tab, `${site.origin}/farm/nodes`)
  for (const name of ['render-1', 'render-2'])
    await page.check(`input[aria-label="Choose ${name}"]`)
  await page.click('.bar button:text-is("Drain")')
  await page.waitForSelector('.effects >> text=Pool gpu: 8 → 0 slots')
  await page.fill('dialog input[name=why]', 'new power supply')
  t.regex(
    (await page.textContent('.change-command')) ?? '',
    /^farm nodes drain render-1 --why 'new power supply'\nfarm nodes drain render-2/,
  )
  t.deepEqual(await axe(page), [])
  await keep(page, 'farm-drain')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('tr:has-text("render-2") .state:has-text("draining")')
  const rows = await site.gateway.db
    .selectFrom('operator_acts')
    .select(['actor', 'act', 'subject'])
    .where('why', '=', 'new power supply')
    .execute()
  t.deepEqual(rows.map(({ subject }) => subject).toSorted(), nodes.slice(0, 2).toSorted())
  t.true(rows.every(({ actor, act }) => actor === tab.email && act === 'nodes drain'))
  // The farm refuses what the states no longer allow; the dialog says it and stays.
  await visit(tab, `${site.origin}/farm/nodes/${nodes[0]}`)
  await page.click('.actions button:text-is("Uncordon")')
  await page.fill('dialog input[name=why]', 'it works again')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('.page-head .state:has-text("active")')
  t.deepEqual(tab.faults, [])
  await tab.context.close()
})

test.serial('a viewer sees no buttons that change, and gets 403', async (t) => {
  const tab = await openAs({ site, browser }, 'viewer')
  const { access: _, ...read } = screens
  for (const path of Object.values(read)) {
    await visit(tab, site.origin + path)
    await tab.page.waitForSelector('.farm-me >> text=viewer')
    const buttons = await tab.page.locator('main button').allTextContents()
    t.deepEqual(
      buttons.filter(
        (words) => !/^(As a |Copy|Deliveries|All of it|Save as|Show older)/.test(words.trim()),
      ),
      [],
      path,
    )
    t.is(await tab.page.locator('main input[type=checkbox]').count(), 0, path)
  }
  const status = await tab.page.evaluate(`(async () => {
    const post = (path, body, headers) => fetch('/api/operator' + path, {
      method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body,
    })
    const { accessToken } = await (await post('/auth/refresh', '{"cookie":true}')).json()
    const change = '{"nodes":["render-1"],"why":"only to try"}'
    return (await post('/nodes/drain', change, { authorization: 'Bearer ' + accessToken })).status
  })()`)
  t.is(status, 403)
  await tab.context.close()
})

test.serial('the switch for reading only hides all changes in every tab', async (t) => {
  const tab = await openAs({ site, browser }, 'admin')
  await visit(tab, `${site.origin}/farm/nodes/${nodes[1]}`)
  const other = await openTab(tab.context)
  await visit(other, `${site.origin}/farm/nodes/${nodes[1]}`)
  const changes = (page: typeof tab.page) => page.locator('.page-head .actions button')
  await changes(other.page).first().waitFor()
  await tab.page.click('[role=switch]')
  await changes(tab.page).first().waitFor({ state: 'detached' })
  await changes(other.page).first().waitFor({ state: 'detached' })
  await other.page.click('[role=switch]')
  await changes(tab.page).first().waitFor()
  t.deepEqual(tab.faults, [])
  await tab.context.close()
})

test.serial('a customer’s session opens no page of the farm', async (t) => {
  const { signsIn } = await site.user()
  const context = await browser.newContext({ viewport: sizes.desktop })
  const tab = await openTab(context)
  const told: string[] = []
  tab.page.on('response', (response) => {
    if (response.url().includes('/api/operator') && response.ok()) told.push(response.url())
  })
  await signIn(tab, signsIn)
  t.is(await tab.page.locator('a[href="/farm"]').count(), 0)
  for (const path of Object.values(screens)) {
    await tab.page.goto(site.origin + path)
    await tab.page.waitForSelector('.sign-in input[name=email]')
    const shown = await tab.page.content()
    for (const secret of ['render-1', withSeenMarks(hostile), 'gpu'])
      t.false(shown.includes(secret), path)
  }
  t.deepEqual(told, [], 'nothing of the farm is told')
  const { email, password } = signsIn
  await tab.page.fill('input[name=email]', email)
  await tab.page.fill('input[name=password]', password)
  await tab.page.click('button[type=submit]')
  await tab.page.waitForSelector('.fault >> text=must match an operator')
  await context.close()
})

const isLog = (url: string) => /\/tasks\/[^/]+\/log/.test(url)

test.serial('a log shows its end first, then all of it', async (t) => {
  const tab = await openAs({ site, browser }, 'viewer')
  const { page } = tab
  await visit(tab, site.origin + (screens.log ?? ''))
  const shown = async () => (await page.textContent('.log')) ?? ''
  t.true((await shown()).includes('line 1999'))
  t.false((await shown()).includes('line 0 '))
  await page.click('text=All of it')
  await page.waitForSelector('.log >> text=line 0 ')
  t.regex(page.url(), /all=yes/)
  t.is(await page.locator('img[onerror]').count(), 0)
  t.false(/\[(1;31|0)m/.test(await shown()), 'colours of a terminal are left out')
  t.deepEqual(tab.faults, [])
  await tab.context.close()
})

test.serial('the log of an ended attempt is read once', async (t) => {
  const tab = await openAs({ site, browser }, 'viewer')
  const { page } = tab
  await page.clock.install()
  let reads = 0
  page.on('request', (request) => {
    if (isLog(request.url())) reads += 1
  })
  await visit(tab, site.origin + (screens.log ?? ''))
  await page.waitForSelector('.log >> text=line 1999')
  await page.clock.runFor(60_000)
  t.is(reads, 1)
  await tab.context.close()
})

test.serial('a followed log is read until the farm’s clock ends it', async (t) => {
  const { db } = site.gateway
  const { accountId } = await site.gateway.customer()
  const jobId = await addJob(db, accountId, 1)
  const taskId = await addLostAttempt(db, { accountId, jobId, name: 'followed' })
  await sql`insert into live_logs (task_id, attempt, followed_until, log, lines)
    values (${taskId}, 1, now(), ${'one\n'}, 1)`.execute(db)
  const endedBefore = async (seconds: number) =>
    await sql`update attempts set ended_at = now() - ${seconds} * interval '1 second'
      where task_id = ${taskId}`.execute(db)
  const tab = await openAs({ site, browser }, 'viewer')
  const { page } = tab
  // The browser's clock is an hour ahead, and the log goes on nevertheless.
  await page.clock.install({ time: Date.now() + 60 * 60_000 })
  await endedBefore(10)
  await visit(tab, `${site.origin}/farm/tasks/${taskId}`)
  await page.waitForSelector('.log >> text=one')
  await sql`update live_logs set log = ${'one\ntwo\n'}, lines = 2 where task_id = ${taskId}`.execute(
    db,
  )
  await page.waitForSelector('.log >> text=two')
  await endedBefore(120)
  await page.waitForResponse(
    async (answer) => isLog(answer.url()) && (await answer.json()).live.isOver,
  )
  let reads = 0
  page.on('request', (request) => {
    if (isLog(request.url())) reads += 1
  })
  await page.clock.runFor(60_000)
  t.is(reads, 0)
  await tab.context.close()
})

test.serial('a job is held, resumed and cancelled, each with a reason', async (t) => {
  const { jobId } = await addFilm(site)
  const tab = await openAs({ site, browser }, 'operator')
  const { page } = tab
  await visit(tab, `${site.origin}/farm/jobs/${jobId}`)
  const act = async (name: string, why: string) => {
    await page.click(`.page-head .actions button:text-is("${name}")`)
    await page.fill('dialog input[name=why]', why)
    await page.click('dialog button[type=submit]')
    await page.waitForSelector('dialog', { state: 'detached' })
  }
  await act('Hold', 'waits for new fonts')
  await page.waitForSelector('.notice >> text=Held: waits for new fonts')
  await act('Resume', 'the fonts are there')
  await page.waitForSelector('.notice >> text=Held', { state: 'detached' })
  await act('Cancel', 'asked by its owner')
  await page.waitForSelector('.page-head .state:has-text("cancelled")')
  await visit(tab, `${site.origin}/farm/audit?subject=${jobId}`)
  const acts = await page.locator('.rows b').allTextContents()
  t.deepEqual(acts, ['jobs cancel', 'jobs resume', 'jobs hold'])
  await keep(page, 'farm-audit-of-job')
  // The reading of a request is an act, too; the page shows it only then.
  await visit(tab, `${site.origin}/farm/jobs/${jobId}`)
  t.false((await page.content()).includes('Hello'))
  await page.click('text=Read the request')
  await page.fill('dialog input[name=why]', 'ticket 12')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('.json >> text=Hello')
  t.deepEqual(tab.faults, [])
  await tab.context.close()
})

test.serial('an admin gives the password again before money moves', async (t) => {
  const tab = await openAs({ site, browser }, 'admin')
  const { page } = tab
  await sql`update operator_sessions set confirmed_at = now() - interval '1 hour'`.execute(
    site.gateway.db,
  )
  await visit(tab, `${site.origin}/farm/accounts/${film.accountId}`)
  await page.click('text=Grant credits')
  await page.fill('dialog input[name=credits]', '500')
  await page.fill('dialog input[name=note]', 'a present')
  await page.fill('dialog input[name=why]', 'they asked')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('dialog .fault >> text=password')
  t.is(await page.inputValue('dialog input[name=note]'), 'a present')
  await page.fill('dialog input[name=password]', password)
  await page.click('dialog button[type=submit]')
  const row = page.locator('.card tr', { hasText: 'a present' })
  await row.waitFor()
  const [, kind, owned, , balance] = await row.locator('td').allTextContents()
  const account = (await page.textContent('main')) ?? ''
  t.deepEqual([kind, owned], ['grant', '500'])
  t.true(account.includes(`${balance}`), balance)
  // The refusal is the one error that the browser has logged.
  t.is(tab.faults.length, 1)
  await tab.context.close()
})

test.serial('a limit of a pool is set and lifted with reasons', async (t) => {
  const tab = await openAs({ site, browser }, 'operator')
  const { page } = tab
  await letNodesSpeak(site)
  await visit(tab, `${site.origin}/farm/pools`)
  await page.click('button[aria-label="Limit cpu"]')
  await page.fill('dialog input[name=slots]', '0')
  await page.fill('dialog input[name=why]', 'a storm')
  t.is(await page.textContent('.change-command'), "farm pools limit cpu --slots 0 --why 'a storm'")
  await page.click('dialog button[type=submit]')
  await page.click('button[aria-label="Lift the limit of cpu"]')
  await page.fill('dialog input[name=why]', 'it is over')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('button[aria-label="Lift the limit of cpu"]', { state: 'detached' })
  t.deepEqual(tab.faults, [])
  await tab.context.close()
})

test.serial('the list of jobs goes to its last page and stays there', async (t) => {
  const { accountId } = await site.gateway.customer(100_000)
  for (let at = 0; at < 250; at += 1) await addJob(site.gateway.db, accountId, 1)
  const tab = await openAs({ site, browser }, 'viewer')
  const { page } = tab
  await visit(tab, `${site.origin}/farm/jobs?account=${accountId}`)
  await page.focus('tbody tr[data-index="0"] a')
  for (let pages = 1; pages <= 3; pages += 1) {
    await page.keyboard.press('End')
    await page.waitForSelector(`.page-head >> text=/${['200', '250', '250'][pages - 1]} read/`)
  }
  await page.waitForSelector('.page-head >> text=250 read, which are all')
  t.true((await page.locator('tbody tr').count()) < 60)
  await addJob(site.gateway.db, accountId, 1)
  await page.waitForSelector('text=1 new: show')
  t.is(await page.locator('.page-head').textContent(), 'Jobs250 read, which are all')
  await page.click('text=1 new: show')
  await page.waitForSelector('text=1 new: show', { state: 'detached' })
  await page.focus('section[aria-label=Jobs]')
  while ((await page.textContent('.page-head'))?.endsWith('which are all') !== true) {
    await page.keyboard.press('End')
    await sleep(100)
  }
  t.is(await page.locator('.page-head').textContent(), 'Jobs251 read, which are all')
  t.deepEqual(tab.faults, [])
  await tab.context.close()
})
