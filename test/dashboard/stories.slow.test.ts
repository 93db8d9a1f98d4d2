import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { parse } from 'csv-parse/sync'
import type { Browser } from 'playwright-core'
import { createFarmClient } from '../../client/farm-client.ts'
import { farm as farmCommand } from '../cli/run-farm.ts'
import { startFarm } from '../farm/running-farm.ts'
import {
  keep,
  openBrowser,
  openTab,
  settled,
  sizes,
  until,
  visit,
  type Watched,
} from './open-browser.ts'

/** Customers' stories in a real browser, against a whole farm that renders. */

const farm = await startFarm()
let browser: Browser
test.before(async () => {
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await farm.stop()
})

const context = () => browser.newContext({ viewport: sizes.desktop })
const stateOf = `document.querySelector('.page-head .state')?.textContent.trim()`
const time = `(document.querySelector('video')?.currentTime ?? 0)`

/** Tab of the user whom the first story signs in. */
let tab: Watched

test.serial('one button plays a film while it renders, then shows three ways', async (t) => {
  tab = await openTab(await context())
  const { page } = tab
  await page.goto(farm.dashboardUrl)
  await page.waitForSelector('.empty button')
  t.is(page.url(), `${farm.url}/`)
  await page.click('.empty button')
  await until(page, `${time} > 1`)
  t.not(await page.evaluate(stateOf), 'completed')
  await keep(page, 'story-01-plays-while-it-renders')
  await until(page, `${stateOf} === 'completed'`)
  await until(page, `document.querySelector('video').ended`)
  const length = await page.evaluate(`document.querySelector('video').duration`)
  t.true(Math.abs(Number(length) - 12) < 0.1)
  await settled(page)
  t.true((await page.locator('.gantt-bar').count()) > 3)
  t.deepEqual(await page.locator('.three-ways h2').allTextContents(), [
    ...['Change a word and render again', 'Make 5 of it', 'From a program'],
  ])
  await keep(page, 'story-01-done')
  t.deepEqual(tab.faults, [])

  const again = await openTab(await context())
  await again.page.goto(farm.dashboardUrl)
  t.regex((await again.page.textContent('[role=alert]')) ?? '', /code/)
})

test.serial('a table becomes films, its bad cell mended on the page', async (t) => {
  const { page } = tab
  await visit(tab, `${farm.url}/bulks/new`)
  await page.waitForSelector('option[value="example invitations"]', { state: 'attached' })
  await page.selectOption('select', 'example invitations')
  await page.waitForSelector('text=Chosen')
  const files = page.locator('input[type=file]')
  const table = { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(semicolons()) }
  await files.nth(1).setInputFiles(table)
  await page.waitForSelector('text=row 4, seat')
  const cell = page.locator('input[aria-invalid=true]')
  t.is(await cell.getAttribute('aria-label'), 'seat of row 4')
  await keep(page, 'story-03-bad-cell')
  await cell.fill('3')
  await cell.press('Enter')
  await page.click('text=Render 5 rows')
  await page.waitForURL('**/bulks/blk_*')
  await until(page, `${stateOf} === 'finished'`)
  await until(page, `document.querySelectorAll('.sheet-cell .state.good').length === 5`)
  t.regex((await page.textContent('.count-bar p')) ?? '', /^5 completed$/)
  await keep(page, 'story-03-contact-sheet')
  t.deepEqual(tab.faults, [])

  // Each film has the cell of its dotted variable, and the project's own parts beside it.
  const bulkId = page.url().split('/').at(-1) ?? ''
  const { jobs } = (await farm.call('GET', `/api/render/bulk/${bulkId}`)).body as {
    jobs: { id: string; name: string }[]
  }
  const times = jobs.map(async ({ id, name }) => {
    const { variables } = (await farm.call('GET', `/api/jobs/${id}/request`)).body as {
      variables: { event: { day: string; time: string } }
    }
    return [name, variables.event.day, variables.event.time]
  })
  t.deepEqual(
    (await Promise.all(times)).toSorted().map(([, ...event]) => event),
    ['6 pm', '6 pm', '7 pm', '7 pm', '8.30 pm'].map((time) => ['Friday, 12 June', time]),
  )

  // The command beside the button saves the same bytes; only the links are signed anew.
  const saving = page.waitForEvent('download')
  await page.click('text=Results as CSV')
  const saved = await readFile(await (await saving).path(), 'utf8')
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  t.teardown(async () => await rm(folder, { recursive: true, force: true }))
  const surroundings = { cwd: folder, env: { FARM_URL: farm.url, FARM_API_KEY: farm.apiKey } }
  const path = `/api/render/bulk/${bulkId}/results?format=csv`
  const called = await farmCommand(['call', 'GET', path, '-o', 'called.csv'], surroundings)
  t.is(called.code, 0, called.err)
  const unsigned = (csv: string) => csv.replace(/(expires|signature)=[^&"]*/g, '$1=')
  t.is(unsigned(await readFile(join(folder, 'called.csv'), 'utf8')), unsigned(saved))
  t.regex(saved, /signature=/)

  // `farm bulk` renders the same table, mended, and reports the same of each row.
  const content = await fetch(`${farm.url}/api/library/examples/invitations/content`)
  await writeFile(join(folder, 'project.json'), await content.text())
  await writeFile(join(folder, 'rows.csv'), semicolons('3'))
  const bulk = ['bulk', 'project.json', '--csv', 'rows.csv', '-o', 'films']
  const rendered = await farmCommand(bulk, surroundings)
  t.is(rendered.code, 0, rendered.err)
  const facts = (csv: string) =>
    (parse(csv, { columns: true }) as Record<string, string>[]).map((row) =>
      ['name', 'state', 'duration', 'size', 'creditsCharged', 'error'].map((name) => row[name]),
    )
  const own = facts(await readFile(join(folder, 'films', 'results.csv'), 'utf8'))
  t.is(own.length, 5)
  t.deepEqual(facts(saved), own)
})

test.serial('a failed job says what was wrong where, and costs nothing', async (t) => {
  const { page } = tab
  const src = `${farm.url}/api/library/media/nothing.jpg`
  const visuals = [{ type: 'IMAGE', src }]
  const failed = await farm.finished(await farm.submit({ width: 320, height: 180, visuals }))
  t.is(failed.state, 'failed')
  await visit(tab, `${farm.url}/jobs/${failed.id}`)
  const told = (await page.textContent('.fault-list')) ?? ''
  t.regex(told, /visuals\[0\]\.src/)
  t.regex(told, /cost nothing/)
  await keep(page, 'story-06-failed')
})

const inside = `(([outer, inner]) => inner.width > 0 && inner.height > 0 && inner.left >= outer.left
  && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom)(
  ['.picture:has(.frame)', '.frame'].map((part) => document.querySelector(part).getBoundingClientRect()))`

test.serial('a template that was never rendered shows its picture, for nothing', async (t) => {
  const { page } = tab
  const { templates, credits } = createFarmClient({ url: farm.url, apiKey: farm.apiKey })
  const visuals = [{ type: 'TEXT' as const, text: 'Hello', style: { color: '#ffffff' } }]
  const payload = { width: 320, height: 180, duration: 2, backgroundColor: '#aa2200', visuals }
  await templates.create({ name: 'Never rendered', payload })
  const before = await credits.balance()
  await visit(tab, `${farm.url}/templates`)
  await until(page, `document.querySelector('.frame img')?.naturalWidth > 0`)
  t.true(await page.evaluate(inside))
  t.is(await page.locator('.row', { hasText: 'Never rendered' }).locator('.frame').count(), 1)
  t.deepEqual(await credits.balance(), before)
  await keep(page, 'templates-painted')
  // A second look costs the account nothing of its previews.
  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/api/render/preview')) asked += 1
  })
  await page.click('nav >> text=Jobs')
  await page.click('nav >> text=Templates')
  await page.waitForSelector('.frame img')
  t.is(asked, 0)
  await page.click('a >> text=Never rendered')
  await until(page, `document.querySelector('.template-picture img')?.naturalWidth > 0`)
  await keep(page, 'template-painted')
})

/** Notes the page's time, ms, of each preview that it asks for, and how many are not answered. */
const noteAsks = `(() => {
  const send = window.fetch
  window.asks = []
  window.unanswered = 0
  window.fetch = async (...given) => {
    if (!String(given[0]).endsWith('/api/render/preview')) return await send(...given)
    window.asks.push(performance.now())
    window.unanswered += 1
    return await send(...given).finally(() => { window.unanswered -= 1 })
  }
})()`

test.serial('a visit asks for ten pictures, a later one for none', async (t) => {
  const { templates } = createFarmClient({ url: farm.url, apiKey: farm.apiKey })
  for (let i = 1; i <= 11; i += 1) {
    const visuals = [{ type: 'TEXT' as const, text: `Guest ${i}`, style: { color: '#ffffff' } }]
    const payload = { width: 320, height: 180, duration: 2, backgroundColor: '#0044aa', visuals }
    await templates.create({ name: `Guest ${i}`, payload })
  }
  // The other tab's list would be read again, and painted by its own time.
  await visit(tab, `${farm.url}/settings`)
  const newTab = async () => {
    const opened = await openTab(tab.page.context())
    await opened.page.setViewportSize({ width: 1280, height: 2_000 })
    await opened.page.addInitScript(noteAsks)
    await opened.page.clock.install()
    await visit(opened, `${farm.url}/templates`)
    return opened
  }
  /** Four minutes of the page; ten pictures take one. */
  const mostTurns = 480
  const asks = async ({ page }: Watched) => (await page.evaluate('window.asks')) as number[]
  /** Lets time pass in the page, but while the farm paints, until it shows so many pictures. */
  const shows = async ({ page }: Watched, pictures: number) => {
    const seen = `document.querySelectorAll('.frame img').length`
    for (let turn = 0; (await page.evaluate(seen)) !== pictures; turn += 1) {
      if (turn === mostTurns)
        throw new Error(`${await page.evaluate(seen)} of ${pictures} are shown`)
      await until(page, 'window.unanswered === 0')
      await page.clock.runFor(500)
    }
    // A further request would come within a minute.
    await page.clock.runFor(60_000)
    t.is(await page.evaluate(seen), pictures)
  }

  const first = await newTab()
  await shows(first, 11)
  const times = await asks(first)
  t.is(times.length, 10)
  const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0))
  t.true(Math.min(...gaps) > 5_900, gaps.join(' '))
  await first.page.close()

  const second = await newTab()
  await shows(second, 12)
  t.is((await asks(second)).length, 1)
  await keep(second.page, 'templates-painted-all')
  await second.page.close()

  const third = await newTab()
  await shows(third, 12)
  t.deepEqual(await asks(third), [])
  const kept = `caches.keys().then((names) => names.includes('farm template pictures'))`
  t.true(await third.page.evaluate(kept))
  t.deepEqual([...first.faults, ...second.faults, ...third.faults], [])
  // The next person at the browser finds none of them.
  await third.page.click('text=Sign out')
  await third.page.waitForSelector('input[name=email]')
  await until(third.page, `(${kept}).then((is) => !is)`)
})

/** The example's own rows, as a spreadsheet of Germany saves them, with a word for a number. */
function semicolons(seat = 'many'): string {
  const csv = readFileSync(new URL('../../examples/invitations/rows.csv', import.meta.url), 'utf8')
  const lines = csv
    .trim()
    .replaceAll('../launch/media/', `${farm.url}/api/library/media/launch/media/`)
  const cells = lines.split('\n').map((line) => line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g) ?? [])
  const rows = cells.map((row) => row.slice(0, 6).map((cell) => cell.replace(/,$/, '')))
  if (rows[3]) rows[3][1] = seat
  return `\ufeff${rows.map((row) => row.join(';')).join('\r\n')}\r\n`
}
