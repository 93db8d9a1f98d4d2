import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { startFarm } from '../farm/running-farm.ts'
import { silent } from '../store/database.ts'
import { openHoldingOrigin } from './holding-origin.ts'
import { keep, openBrowser, openTab, settled, sizes, until, type Watched } from './open-browser.ts'

/** Stories 07 and 12 of operators, on a farm of five nodes, with one tab that is never loaded again. */

const origin = await openHoldingOrigin()
const { host } = origin
const farm = await startFarm({ workers: 5, env: { FARM_TRUSTED_HOSTS: host } })
const settings = await readFile(join(farm.data, 'operate.env'), 'utf8')
const url = /^DATABASE_URL=(.*)$/m.exec(settings)?.[1] ?? ''
const db: Db = openDatabase({ url, log: silent })
let browser: Browser
let customer: Watched
let operator: Watched

test.before(async () => {
  browser = await openBrowser()
  const context = await browser.newContext({ viewport: sizes.desktop })
  customer = await openTab(context)
  await customer.page.goto(farm.dashboardUrl)
  await customer.page.waitForSelector('.page-head')
  operator = await openTab(context)
})
test.after.always(async () => {
  await browser?.close()
  await db.destroy()
  await farm.stop()
  origin.close()
})

const film = (name: string, seconds: number) => ({
  ...{ name, width: 640, height: 360, frameRate: 25, duration: seconds },
  visuals: [
    { type: 'TEXT', html: `<b>${name}</b>`, enterEnd: seconds, enterAnimation: 'slideleft' },
  ],
})

/** Goes to a page of the farm by its link, without a load. */
async function go(name: string): Promise<void> {
  await operator.page.click(`nav[aria-label=Farm] a:has-text("${name}")`)
  await operator.page.waitForSelector(`h1:text-is("${name}")`)
  await settled(operator.page)
}

async function giveReason(why: string): Promise<void> {
  await operator.page.fill('dialog input[name=why]', why)
  await operator.page.click('dialog button[type=submit]')
  await operator.page.waitForSelector('dialog', { state: 'detached' })
}

test.serial('the address of farm dev signs in as an operator, too', async (t) => {
  await customer.page.reload()
  await customer.page.waitForSelector('nav a[href="/farm"]')
  await operator.page.goto(`${farm.url}/farm`)
  await operator.page.waitForSelector('.farm-me >> text=admin')
  await operator.page.waitForSelector('.health >> text=The farm is healthy')
  t.is(await operator.page.locator('.figure:has-text("Nodes that take work")').count(), 1)
  await keep(operator.page, 'story-12-now')
})

test.serial('a limit of 0 keeps a job until an operator lifts it', async (t) => {
  const { page } = operator
  await go('Pools')
  await page.click('button[aria-label="Limit whole farm"]')
  await page.fill('dialog input[name=slots]', '0')
  await giveReason('the store is being moved')
  const jobId = await farm.submit(film('Waits for a limit', 4))
  await customer.page.goto(`${farm.url}/jobs/${jobId}`)
  await customer.page.waitForSelector('main >> text=/limit/i')
  await keep(customer.page, 'story-07-customer-waits')
  await go('Queue')
  await page.waitForSelector('td.bad >> text=The limit of the farm is reached: 0 of 0 run')
  await keep(page, 'story-07-queue')
  await go('Pools')
  await page.click('button[aria-label="Lift the limit of whole farm"]')
  await giveReason('the store is moved')
  t.is((await farm.finished(jobId)).state, 'completed')
  await until(
    customer.page,
    `document.querySelector('.page-head .state')?.textContent.trim() === 'completed'`,
  )
  await go('Audit')
  await page.waitForSelector('.row:has-text("pools limit none") >> text=the store is moved')
  const acts = await page.locator('.rows .row').allTextContents()
  t.true(acts.some((act) => /pools limit 0.*the store is being moved.*dev@localhost/.test(act)))
  await keep(page, 'story-07-audit')
})

test.serial('three nodes are cordoned at once and one is drained', async (t) => {
  const { page } = operator
  await go('Nodes')
  const nodes = await page.locator('tbody .job-name a').allTextContents()
  t.is(nodes.length, 5)
  const [left, right, ...cordoned] = nodes as [string, string, string, string, string]
  for (const name of cordoned) await page.check(`input[aria-label="Choose ${name}"]`)
  await page.click('.bar button:text-is("Cordon")')
  await giveReason('new disks for three')
  const stateOf = (name: string) => page.locator(`tr:has(a:text-is("${name}")) .state`)
  for (const name of cordoned) await stateOf(name).filter({ hasText: 'cordoned' }).waitFor()
  const drawn = film('Drained', 4)
  const visuals = [...drawn.visuals, { type: 'IMAGE', src: `http://${host}/photo.png` }]
  const jobId = await farm.submit({ ...drawn, visuals })
  await until(page, `${busy(left)} || ${busy(right)}`)
  const drained = (await page.evaluate<boolean>(busy(left))) ? left : right
  await page.check(`input[aria-label="Choose ${drained}"]`)
  await page.click('.bar button:text-is("Drain")')
  await page.waitForSelector('.effects >> text=/what runs on goes back to the queue/')
  await page.waitForSelector('.effects >> text=/slots, \\d+ busy/')
  await keep(page, 'story-12-drain')
  await giveReason('it is too loud')
  await stateOf(drained).filter({ hasText: 'draining' }).waitFor()
  // It has a minute to end what it runs.
  origin.release()
  await until(page, `!(${busy(drained)})`)
  t.is((await farm.finished(jobId)).state, 'completed')
  await keep(page, 'story-12-nodes')
  const { rows } = await sql<{ name: string }>`select distinct n.name from attempts a
    join nodes n on n.id = a.node_id where a.job_id = ${jobId}`.execute(db)
  t.deepEqual(rows.map(({ name }) => name).toSorted(), [left, right].toSorted())
  for (const name of [drained, ...cordoned]) await page.check(`input[aria-label="Choose ${name}"]`)
  await page.click('.bar button:text-is("Uncordon")')
  await giveReason('all is done')
  for (const name of nodes) await stateOf(name).filter({ hasText: 'active' }).waitFor()
})

/** True while the node's row tells of running tasks. */
const busy = (name: string) => `[...document.querySelectorAll('tbody tr')].some((row) =>
  row.querySelector('a').textContent === ${JSON.stringify(name)} &&
  !row.querySelector('.cell-more').textContent.trim().startsWith('0 '))`

/** Puts failures of a node on record for tasks that other nodes do. */
async function blame(nodeId: string, jobId: string): Promise<void> {
  await sql`
    insert into attempts (task_id, attempt, job_id, account_id, shape_id, node_id, node_class, pool,
      cost, state, expires_at, ended_at, error)
    select t.id, 90, t.job_id, t.account_id, t.shape_id, ${nodeId}, '', '', t.cost, 'failed', now(),
      now(), '{"code":"internal","message":"the GPU gave a green picture"}'
    from tasks t where t.job_id = ${jobId} and t.kind = 'render' and not exists (
      select from attempts a where a.task_id = t.id and a.node_id = ${nodeId})
    on conflict do nothing`.execute(db)
  await sql`update tasks set failed_nodes = failed_nodes || ${nodeId}::uuid
    where job_id = ${jobId} and kind = 'render' and state in ('queued', 'leased')
      and ${nodeId}::uuid <> all(failed_nodes)`.execute(db)
}

test.serial('a node that fails is quarantined and a canary brings it back', async (t) => {
  const { page } = operator
  await go('Quarantines')
  await page.waitForSelector('text=No node is quarantined')
  const { rows } = await sql<{ id: string; name: string }>`select id, name from nodes
    where state = 'active' order by name limit 1`.execute(db)
  const [node] = rows
  if (!node) return t.fail('a farm must have nodes')
  for (
    let films = 0;
    films < 8 && (await page.locator('h2').first().textContent()) !== node.name;
    films += 1
  ) {
    const jobId = await farm.submit(film(`Blame ${films}`, 30))
    while ((await farm.job(jobId)).state !== 'completed') {
      await blame(node.id, jobId)
      await sleep(200)
    }
  }
  await page.waitForSelector(`section[aria-label="${node.name}"] >> text=succeeded elsewhere`)
  await keep(page, 'story-12-quarantine')
  await page.waitForSelector('text=No node is quarantined', { timeout: 180_000 })
  await go('Audit')
  await page.waitForSelector('.row:has-text("(scheduler)")')
  await keep(page, 'story-12-audit')
  t.deepEqual(operator.faults, [])
})
