import test from 'ava'
import type { Browser } from 'playwright-core'
import { processesOf, startFarm } from '../farm/running-farm.ts'
import {
  keep,
  openBrowser,
  openTab,
  putBehind,
  settled,
  sizes,
  until,
  visit,
  type Watched,
} from './open-browser.ts'

/** Stories 08 and 11 against a farm of three nodes: one is killed, and credits add up to the credit. */

const farm = await startFarm({ workers: 3 })
let browser: Browser
let tab: Watched
test.before(async () => {
  browser = await openBrowser()
  tab = await openTab(await browser.newContext({ viewport: sizes.desktop }))
  await tab.page.goto(farm.dashboardUrl)
  await tab.page.waitForSelector('.page-head')
})
test.after.always(async () => {
  await browser?.close()
  await farm.stop()
})

/** Moves all the time, so that every frame is painted. */
const film = (name: string, seconds: number) => ({
  ...{ name, width: 1280, height: 720, frameRate: 30, duration: seconds },
  visuals: [
    { type: 'TEXT', html: `<b>${name}</b>`, enterEnd: seconds, enterAnimation: 'slideleft' },
  ],
})

type Attempt = {
  readonly taskId: string
  readonly number: number
  readonly state: string
  readonly machine: string
}

async function attemptsOf(jobId: string): Promise<readonly Attempt[]> {
  const { body } = await farm.call('GET', `/api/jobs/${jobId}/timeline`)
  return body.attempts as readonly Attempt[]
}

/** Process of a node, told from the others by what it was started with. */
async function killOneNode(): Promise<void> {
  const [pid] = await processesOf(farm, 'main.ts worker')
  if (pid === undefined) throw new Error('a farm must have nodes')
  process.kill(pid, 'SIGKILL')
}

const state = `document.querySelector('.page-head .state')?.textContent.trim()`
const rows = `[...document.querySelectorAll('.gantt-bars tbody tr')].map((row) => row.textContent)`
const titles = `[...document.querySelectorAll('.gantt-bar title')].map((each) => each.textContent)`

test.serial('a killed node is drawn as a lost attempt with its successor', async (t) => {
  const { page } = tab
  const jobId = await farm.submit(film('Three nodes', 30))
  await visit(tab, `${farm.url}/jobs/${jobId}`)
  const busy = async () =>
    new Set(
      (await attemptsOf(jobId))
        .filter((each) => each.state === 'running')
        .map((each) => each.machine),
    )
  while ((await busy()).size < 3) await farm.waitFor(jobId, () => true)
  await until(page, `${titles}.some((words) => words.includes('running'))`)
  await killOneNode()
  await farm.finished(jobId)
  await until(page, `${state} === 'completed'`)
  await settled(page)

  const attempts = await attemptsOf(jobId)
  const lost = attempts.find((each) => each.state === 'lost')
  if (!lost) return t.fail(JSON.stringify(attempts))
  const successor = attempts.find(
    (each) => each.taskId === lost.taskId && each.number > lost.number,
  )
  t.is(successor?.state, 'completed')
  t.true(new Set(attempts.map((each) => each.machine)).size >= 3)
  await until(page, `${titles}.length >= ${attempts.length}`)
  const drawn = (await page.evaluate(titles)) as string[]
  t.true(drawn.some((words) => / on .*: lost, /.test(words)))
  t.true(drawn.some((words) => words.includes(`, attempt ${successor?.number}: completed`)))
  t.is(
    await page.locator('.gantt-bar.bad').count(),
    attempts.filter(({ state }) => state === 'lost').length,
  )

  await page.click('.gantt summary')
  const told = ((await page.evaluate(rows)) as string[]).map((row) =>
    row.replace(/^(stage|attempt|waiting|retry|twin)/, ''),
  )
  t.deepEqual(told.toSorted(), drawn.toSorted())
  await keep(page, 'story-08-lost-attempt')
  t.deepEqual(tab.faults, [])
})

test.serial('a tab that was behind for a minute shows the present', async (t) => {
  const behind = await openTab(tab.page.context())
  t.teardown(async () => await behind.page.close())
  const { page } = behind
  await page.clock.install()
  const jobId = await farm.submit(film('Behind', 20))
  await visit(behind, `${farm.url}/jobs/${jobId}`)
  await until(page, `${titles}.some((words) => words.includes('running'))`)
  await page.evaluate(`window.isSame = true`)
  await putBehind(page, true)
  // The job ends and the minute passes meanwhile; it may hear of that or not.
  await farm.finished(jobId)
  await page.clock.fastForward('01:00')
  await putBehind(page, false)
  await until(page, `${state} === 'completed'`)
  const attempts = await attemptsOf(jobId)
  await until(page, `${titles}.length >= ${attempts.length}`)
  await until(page, `!${titles}.some((words) => words.includes('running'))`)
  await page.click('.gantt summary')
  const told = ((await page.evaluate(rows)) as string[]).map((row) =>
    row.replace(/^(stage|attempt|waiting|retry|twin)/, ''),
  )
  t.deepEqual(told.toSorted(), ((await page.evaluate(titles)) as string[]).toSorted())
  t.true(await page.evaluate(`window.isSame`), 'without a reload')
  await keep(page, 'story-08-in-front-again')
  t.deepEqual(behind.faults, [])
})

type Balance = { readonly balance: number; readonly reserved: number; readonly available: number }

/** Reads the figures and the columns of the ledger as a person sees them. */
const ledger = `(() => {
  const number = (text) => Number(text.replaceAll(',', '') || 0)
  const figure = (name) => number([...document.querySelectorAll('.figure')]
    .find((each) => each.textContent.startsWith(name)).querySelector('strong').textContent)
  const rows = [...document.querySelectorAll('.card tbody tr')]
    .map((row) => [...row.children].map((cell) => cell.textContent)).filter((row) => row.length === 6)
  const sum = (at) => rows.reduce((all, row) => all + number(row[at]), 0)
  return {
    kinds: [...new Set(rows.map((row) => row[1]))],
    owned: figure('Owned'), held: figure('Held'), free: figure('Can be spent'),
    ownedByRows: sum(2), heldByRows: sum(3),
  }
})()`

test.serial('holds, captures and releases add up to the balance shown', async (t) => {
  const { page } = tab
  const cancelled = await farm.submit(film('Cancelled', 40))
  await farm.waitFor(cancelled, (job) => job.state === 'rendering')
  const open = await farm.submit(film('Open', 20))
  await visit(tab, `${farm.url}/credits`)
  await until(page, `${ledger}.held > 0`)
  await farm.call('POST', `/api/jobs/${cancelled}/cancel`)
  await farm.finished(cancelled)
  await farm.finished(open)
  await until(page, `${ledger}.held === 0`)
  await until(page, `${ledger}.heldByRows === 0`)
  const shown = (await page.evaluate(ledger)) as Record<string, number> & { kinds: string[] }
  const { body } = await farm.call('GET', '/api/credits/balance')
  const balance = body as unknown as Balance
  t.is(shown.owned, balance.balance)
  t.is(shown.free, balance.available)
  t.is(shown.owned, shown.ownedByRows)
  t.is(shown.held, shown.heldByRows)
  for (const kind of ['hold', 'capture', 'release']) t.true(shown.kinds.includes(kind), kind)
  await keep(page, 'story-11-ledger')
})
