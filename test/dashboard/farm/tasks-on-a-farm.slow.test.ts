import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { Browser } from 'playwright-core'
import { startFarmCommand } from '../../cli/run-farm.ts'
import { startFarm } from '../../farm/running-farm.ts'
import { openHoldingOrigin } from '../holding-origin.ts'
import { axe, keep, openBrowser, openTab, settled, sizes, type Watched } from '../open-browser.ts'

/** Operators and single tasks on a farm of two nodes: a followed log, a held job, an ended attempt. */

const origin = await openHoldingOrigin()
const farm = await startFarm({ workers: 2, env: { FARM_TRUSTED_HOSTS: origin.host } })
let browser: Browser
let operator: Watched
let customer: Watched

test.before(async () => {
  browser = await openBrowser()
  const context = await browser.newContext({ viewport: sizes.desktop })
  customer = await openTab(context)
  await customer.page.goto(farm.dashboardUrl)
  await customer.page.waitForSelector('.page-head')
  operator = await openTab(context)
})
test.after.always(async () => {
  origin.release()
  await browser?.close()
  await farm.stop()
  origin.close()
})

let films = 0
/** Submits a film that waits for a photo of its own. */
async function submitWaiting(name: string): Promise<string> {
  origin.hold()
  films += 1
  const src = `http://${origin.host}/photo-${films}.png`
  return await farm.submit({
    ...{ name, width: 320, height: 180, frameRate: 25, duration: 1 },
    visuals: [{ type: 'IMAGE', src }],
  })
}

async function openJob(jobId: string): Promise<void> {
  const { page } = operator
  await page.goto(`${farm.url}/farm/jobs/${jobId}`)
  await page.waitForSelector('.page-head')
  await settled(page)
}

async function giveReason(why: string): Promise<void> {
  const { page } = operator
  await page.fill('dialog input[name=why]', why)
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('dialog', { state: 'detached' })
}

async function operateEnv(): Promise<Record<string, string>> {
  const text = await readFile(join(farm.data, 'operate.env'), 'utf8')
  const lines = text.trim().split('\n')
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
}

const runningAttempt = '.attempts .row:has(.state:text-is("running"))'

test.serial('a task’s log is followed on its page and by the command', async (t) => {
  const { page } = operator
  const jobId = await submitWaiting('A followed task')
  await openJob(jobId)
  await page.click(`${runningAttempt} a`)
  await page.waitForSelector('text=The node is asked for its log')
  await page.waitForSelector('.log >> text=fetching the medium')
  await page.waitForSelector('h2 >> text=/\\d+ lines so far/')
  t.deepEqual(await axe(page), [])
  await keep(page, 'farm-followed-log')
  const [, task = ''] = /tasks\/([0-9a-f-]+)/.exec(page.url()) ?? []
  const command = await startFarmCommand(t, ['logs', task, '--follow'], { env: await operateEnv() })
  await command.said(/fetching the medium/)
  t.false((await page.textContent('.log'))?.includes('medium fetched'))
  origin.release()
  await page.waitForSelector('.log >> text=medium fetched')
  await page.waitForSelector('.page-head .state:has-text("completed")')
  // The node stores the log of a task that somebody follows.
  await page.waitForSelector('.log >> text=task done')
  await page.waitForSelector('h2 >> text=/of log/')
  await keep(page, 'farm-followed-log-ended')
  const { code, out } = await command.ended
  t.is(code, 0)
  for (const words of ['attempt begun', 'fetching the medium', 'medium fetched', 'task done']) {
    t.is(out.split(`"msg":"${words}"`).length, 2, `${words}, once`)
  }
  t.regex(out, /The attempt on .+ is completed after [\d.]+ s\n$/)
  t.is((await farm.finished(jobId)).state, 'completed')
  t.false(out.includes(origin.host), 'no address of a customer is in it')
})

test.serial('a held job waits, says so to its customer, and goes on', async (t) => {
  const { page } = operator
  const jobId = await submitWaiting('A held job')
  await openJob(jobId)
  await page.waitForSelector(runningAttempt)
  await page.click('.page-head .actions button:text-is("Hold")')
  await giveReason('their fonts are being bought')
  await page.waitForSelector('.notice >> text=Held: their fonts are being bought')
  await keep(page, 'farm-held-job')
  await customer.page.goto(`${farm.url}/jobs/${jobId}`)
  origin.release()
  await customer.page.waitForSelector('main >> text=/held|hold/i')
  await keep(customer.page, 'farm-held-job-customer')
  // The running task ends; nothing after it begins.
  await page.waitForSelector('.attempts .row:has-text("ingest") .state:text-is("completed")')
  t.false(['completed', 'failed'].includes((await farm.job(jobId)).state))
  await page.click('.page-head .actions button:text-is("Resume")')
  await giveReason('the fonts are there')
  t.is((await farm.finished(jobId)).state, 'completed')
  await page.waitForSelector('.page-head .state:has-text("completed")')
})

test.serial('an ended attempt is followed by another, which counts no failure', async (t) => {
  const { page } = operator
  const jobId = await submitWaiting('An ended attempt')
  await openJob(jobId)
  await page.click(`${runningAttempt} button:text-is("End")`)
  await giveReason('it hangs')
  await page.waitForSelector('.attempts .row:has-text("attempt 1") .state:text-is("returned")')
  await page.waitForSelector('.attempts .row:has-text("attempt 2") .state:text-is("running")')
  t.deepEqual(await axe(page), [])
  await keep(page, 'farm-ended-attempt')
  origin.release()
  t.is((await farm.finished(jobId)).state, 'completed')
})

test.serial('a task that waits for its next attempt is retried at once', async (t) => {
  const { page } = operator
  origin.refuse(true)
  const jobId = await submitWaiting('A retried task')
  origin.release()
  await openJob(jobId)
  await page.waitForSelector('.attempts .row:has-text("attempt 1") .state:text-is("failed")')
  await page.waitForSelector('.attempts .row >> text=/503/')
  await keep(page, 'farm-failed-attempt')
  origin.refuse(false)
  await page.click('.attempts .row:has-text("attempt 1") button:text-is("Retry")')
  await giveReason('their server is back')
  await page.waitForSelector('.attempts .row:has-text("attempt 2")')
  t.is((await farm.finished(jobId)).state, 'completed')
  await page.goto(`${farm.url}/farm/audit`)
  await page.waitForSelector('.row:has-text("tasks retry") >> text=their server is back')
  await page.waitForSelector('.row:has-text("tasks end 1") >> text=it hangs')
  await keep(page, 'farm-audit-of-tasks')
  t.deepEqual(operator.faults, [])
})
