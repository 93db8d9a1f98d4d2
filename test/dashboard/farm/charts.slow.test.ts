import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { sql } from 'kysely'
import type { Browser, Page } from 'playwright-core'
import { figuresToKeep } from '../../../core/charts/kept-figures.ts'
import { nodeLiveMs } from '../../../core/fleet/node-states.ts'
import { startPrometheus } from '../../../infra/local/prometheus.ts'
import { serveMetrics } from '../../../runtime/metrics-server.ts'
import { keepFigureSample } from '../../../store/db/fleet/figure-samples.ts'
import { readFleetFigures } from '../../../store/db/fleet/read-fleet-figures.ts'
import { keep, openBrowser, until, visit } from '../open-browser.ts'
import { openSite, type Site } from '../site.ts'
import { addNodes, openAs, openFarmSite } from './site.ts'

/** The page of charts in a real browser: its canvases have the ink of values by Prometheus, or of the kept hour. */

let browser: Browser

test.before(async () => {
  browser = await openBrowser()
})
test.after.always(() => browser?.close())

/** Page script: counts the pixels of a chart's canvas that have the colour of its first line. */
const ink = (title: string) => `(() => {
  const card = document.querySelector('.card[aria-label=' + ${JSON.stringify(JSON.stringify(title))} + ']')
  const canvas = card?.querySelector('canvas')
  if (!canvas) return 0
  const colour = getComputedStyle(card.querySelector('.swatch')).backgroundColor.match(/[\\d.]+/g).map(Number)
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
  let seen = 0
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 200 && [0, 1, 2].every((i) => Math.abs(data[at + i] - colour[i]) < 12)) seen += 1
  return seen
})()`

async function inkOf(page: Page, title: string): Promise<number> {
  return await page.evaluate(ink(title))
}

test.serial('one kept value is a dot, and two are a line', async (t) => {
  const site = await openFarmSite()
  t.teardown(() => site.gateway.stop())
  const { db } = site.gateway
  const keepNow = async () =>
    await keepFigureSample(
      db,
      figuresToKeep(await readFleetFigures(db, { seenWithinMs: nodeLiveMs })),
    )
  await addNodes(site)
  await keepNow()
  const tab = await openAs({ site, browser }, 'viewer')
  const title = 'Nodes that take work'
  await visit(tab, `${site.origin}/farm/charts`)
  await until(tab.page, `${ink(title)} > 0`)
  const dot = await inkOf(tab.page, title)
  t.true(dot < 100, `${dot} pixels`)
  await sql`update figure_samples set at = now() - interval '30 minutes'`.execute(db)
  await keepNow()
  await visit(tab, `${site.origin}/farm/charts`)
  await until(tab.page, `${ink(title)} > 100`)
  await keep(tab.page, 'farm-charts-kept')
  t.deepEqual(tab.faults, [])
})

test.serial('a chart whose lines cannot be drawn keeps its table', async (t) => {
  const site = await openFarmSite()
  t.teardown(() => site.gateway.stop())
  await addNodes(site)
  const figures = await readFleetFigures(site.gateway.db, { seenWithinMs: nodeLiveMs })
  await keepFigureSample(site.gateway.db, figuresToKeep(figures))
  const tab = await openAs({ site, browser }, 'viewer')
  await tab.page.route(/\/plot-[^/]*\.js$/, (route) => route.abort())
  await visit(tab, `${site.origin}/farm/charts`)
  const card = tab.page.locator('.card[aria-label="Nodes that take work"]')
  await card.locator('text=The lines could not be drawn').waitFor()
  await card.locator('summary').click()
  t.true((await card.locator('tbody tr').count()) > 0)
  t.deepEqual(
    tab.faults.filter((fault) => fault.includes('imported module')),
    [],
  )
})

test.serial('charts draw what Prometheus has read of the roles', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const { url, read } = await readByPrometheus(folder)
  t.teardown(read.stop)
  const site = await openSite({ operatorApi: 'on', prometheus: { url } })
  t.teardown(() => site.gateway.stop())
  const tab = await openAs({ site, browser }, 'viewer')
  await visit(tab, `${site.origin}/farm/charts?group=customers`)
  await tab.page.waitForSelector('text=From Prometheus.')
  const title = 'Requests per second, by status'
  await until(tab.page, `${ink(title)} > 0`)
  await keep(tab.page, 'farm-charts-prometheus')
  await tab.page.click(`.card[aria-label="${title}"] summary`)
  t.true((await tab.page.locator(`.card[aria-label="${title}"] tbody tr`).count()) > 0)
  t.deepEqual(tab.faults, [])
})

/** Starts a gateway that is asked five times a second, and a Prometheus that reads it. */
async function readByPrometheus(folder: string) {
  const site: Site = await openFarmSite()
  const metrics = await serveMetrics(
    { host: '127.0.0.1', port: 0 },
    { metrics: site.gateway.context.metrics.registry, ready: async () => undefined },
  )
  const configFile = join(folder, 'prometheus.yml')
  const targets = `static_configs: [{ targets: ['127.0.0.1:${metrics.port}'] }]`
  await writeFile(
    configFile,
    `global: { scrape_interval: 1s }\nscrape_configs: [{ job_name: farm-api, ${targets} }]\n`,
  )
  const prometheus = await startPrometheus({ configFile, dataDir: folder })
  const asking = setInterval(() => void fetch(`${site.origin}/healthz`).catch(() => undefined), 200)
  return {
    url: prometheus.url,
    read: {
      async stop() {
        clearInterval(asking)
        await prometheus.stop()
        await metrics.stop()
        await site.gateway.stop()
      },
    },
  }
}
