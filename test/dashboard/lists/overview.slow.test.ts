import { readFileSync } from 'node:fs'
import test from 'ava'
import { sql } from 'kysely'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { bulkPath, card, forWhom } from '../../api/bulks/submitted-bulk.ts'
import { renderPath, requestOf } from '../../api/gateway.ts'
import { addRunningAttempt } from '../../store/database.ts'
import { enterStage } from '../../store/db/jobs/one-job.ts'
import { looksWell } from '../looks-well.ts'
import { until, visit } from '../open-browser.ts'
import { type Customer, stageOfFile } from '../stage.ts'

/** The overview, a bulk's results and the deliveries of webhooks, in a real browser with real rows. */

const stage = stageOfFile()

const failed = {
  to: 'failed',
  error: { code: 'media_unreachable', message: 'The picture is not there', details: [] },
} as const

async function submitted({ post }: Pick<Customer, 'post'>, name: string): Promise<string> {
  const { payload } = requestOf()
  return (await post(renderPath, { payload: { ...payload, name } })).json().jobId
}

test.serial('the overview shows what runs, what failed and why, and the plan', async (t) => {
  const user = await stage.site.user()
  const { accountId } = user.customer
  const { db } = stage.site.gateway
  const jobId = await submitted(user.customer, 'Runs now')
  await enterStage(db, { accountId, jobId, stage: 'resolve' })
  const frames = { total: 200, reused: 0, painted: 200 }
  await enterStage(db, { accountId, jobId, stage: 'render', frames })
  await addRunningAttempt(db, { accountId, jobId })
  await sql`update tasks set frames_done = 100 where job_id = ${jobId}`.execute(db)
  await sql`update jobs set stages = jsonb_set(stages, '{render}',
    to_jsonb(now() - interval '10 s')) where id = ${jobId}`.execute(db)
  const broken = await submitted(user.customer, 'Breaks')
  await settleJob(db, { accountId, jobId: broken, reason: 'test', settlement: failed })
  const { tab, page, close } = await stage.signedIn(user)
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/')) asked.push(pathname)
  })
  await visit(tab, stage.site.origin)
  const running = page.locator('section[aria-label^="Running now"]')
  await running.waitFor()
  const told = (await running.textContent()) ?? ''
  t.regex(told, /Running now \(1\)/)
  t.regex(told, /Runs nowfilm, \d+ s left/)
  t.is(await running.locator('progress').getAttribute('value'), '50')
  // The budget of the first view (docs/PERFORMANCE.md).
  t.true(asked.length <= 6, asked.join('\n'))
  const failures = page.locator('section[aria-label="Last failures"]')
  t.regex((await failures.textContent()) ?? '', /Breaks.*The picture is not there/)
  const plan = page.locator('section[aria-label^="Plan "]')
  t.regex(
    (await plan.textContent()) ?? '',
    /Tasks at once1 of 128.*Storage0 B of 5\.0 GB.*1 job in/,
  )
  await looksWell(t, tab, 'overview')

  // Both lists follow the events, without a reload of the page.
  await page.evaluate('window.isSame = true')
  await settleJob(db, { accountId, jobId, reason: 'test', settlement: failed })
  await until(page, `!document.querySelector('section[aria-label^="Running now"]')`)
  await page.waitForSelector('section[aria-label="Last failures"] >> text=Runs now')
  t.true(await page.evaluate('window.isSame'))
  t.deepEqual(tab.faults, [])
  await close()
})

test.serial('results of a bulk are saved as JSON', async (t) => {
  const user = await stage.site.user()
  const items = forWhom('Ada', 'Bob')
  const bulk = (await user.customer.post(bulkPath, { name: 'party', payload: card, items })).json()
  const { tab, page, close } = await stage.signedIn(user)
  await visit(tab, `${stage.site.origin}/bulks/${bulk.bulkId}`)
  const saved = page.waitForEvent('download')
  await page.click('text=Results as JSON')
  const download = await saved
  t.is(download.suggestedFilename(), 'party.json')
  const told = await user.customer.get(`/api/render/bulk/${bulk.bulkId}/results`)
  t.deepEqual(JSON.parse(readFileSync(await download.path(), 'utf8')), told.json())
  await looksWell(t, tab, 'bulk-results')
  t.deepEqual(tab.faults, [])
  await close()
})

/** An endpoint with so many failed deliveries, each of a minute of its own. */
async function withFailed({ post }: Pick<Customer, 'post'>, count: number): Promise<string> {
  const hook = { url: 'https://hooks.example.com/farm', events: ['render.failed'] }
  const { id } = (await post('/api/webhooks', hook)).json()
  await sql`insert into webhook_deliveries
      (account_id, webhook_id, target, event, job_id, body, status, next_attempt_at, created_at)
    select account_id, id, id::text, 'render.failed', gen_random_uuid(), '{"n":' || n || '}',
      'failed', null, now() - make_interval(mins => n)
    from webhooks, generate_series(1, ${count}) n where public_id = ${id}`.execute(
    stage.site.gateway.db,
  )
  return id
}

const listed = `document.querySelectorAll('.deliveries > li').length`

test.serial('deliveries are read to the end, filtered, and sent again at once', async (t) => {
  const user = await stage.site.user()
  const id = await withFailed(user.customer, 120)
  const { tab, page, close } = await stage.signedIn(user)
  await visit(tab, `${stage.site.origin}/webhooks/${id}`)
  for (const length of [50, 100, 120]) {
    await until(page, `${listed} === ${length}`)
    if (length < 120) await page.click('text=Show older ones')
  }
  t.is(await page.locator('text=Show older ones').count(), 0)
  t.is(
    await page.evaluate(
      `new Set([...document.querySelectorAll('.deliveries pre')].map((pre) => pre.textContent)).size`,
    ),
    120,
  )
  await page.click('text=Send failed ones again')
  await page.selectOption('dialog select', 'hour')
  await looksWell(t, tab, 'redeliver')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('text=/^(59|60) deliveries sent again/')
  await page.selectOption('label:has-text("Status") select', 'pending')
  await page.waitForURL('**?status=pending')
  await page.waitForSelector('text=/Deliveries .(59|60)./')
  await page.click('text=Send failed ones again')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('text=/^(60|61) deliveries sent again/')
  await page.selectOption('label:has-text("Event") select', 'render.completed')
  await page.waitForSelector('text=No delivery matches')
  t.is(new URL(page.url()).search, '?status=pending&event=render.completed')
  const { total } = (
    await user.customer.get('/api/webhooks/deliveries?status=pending&pageSize=1')
  ).json()
  t.is(total, 120)
  await visit(tab, `${stage.site.origin}/webhooks`)
  await page.click('text=Send failed ones again')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('text=0 deliveries sent again')
  t.deepEqual(tab.faults, [])
  await close()
})
