import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { percentile } from '../statistics.ts'
import { startWarmFarm } from '../warm-farm.ts'
import { type Chrome, openChrome, type Verdict } from './chrome.ts'
import type { Figure, Options } from './figure.ts'
import { addRows } from './rows.ts'
import { openSignedIn, sendBulk, sendFilm } from './signed-in-browser.ts'

/** Slower machines make Lighthouse's times meaningless. */
const leastIndex = 500

type Demand = { readonly performance?: number; readonly lcp?: number; readonly tbt?: number }
const usual: Demand = { performance: 95, lcp: 1_800, tbt: 150 }
const heavy: Demand = { lcp: 2_500, tbt: 400 }

/** Scores of Lighthouse's mobile form: customers' pages, the list of nodes, and a bare page. */
export async function scores({ repeats }: Options): Promise<Figure[]> {
  return [...(await ofCustomers(repeats)), ...(await ofOperators(repeats))]
}

async function ofCustomers(repeats: number): Promise<Figure[]> {
  const bare = await serveBarePage()
  const signedIn = await openSignedIn()
  try {
    await addRows(signedIn)
    const jobId = await sendFilm(signedIn, 'A film')
    const bulkId = await sendBulk(signedIn, 'A bulk')
    const figures = await scoreOf(signedIn.chrome, { name: 'a bare page', url: bare.url, repeats })
    for (const [name, path, demand] of [
      ['overview', '/', usual],
      ['jobs', '/jobs', usual],
      ['job', `/jobs/${jobId}`, usual],
      ['bulk', `/bulks/${bulkId}`, usual],
      ['editor', '/editor', heavy],
    ] as const) {
      const url = signedIn.origin + path
      figures.push(...(await scoreOf(signedIn.chrome, { name, url, repeats, demand })))
    }
    return figures
  } finally {
    await signedIn.close()
    bare.close()
  }
}

/** A farm whose address signs in as an operator, too, and whose nodes are real. */
async function ofOperators(repeats: number): Promise<Figure[]> {
  const farm = await startWarmFarm({ workers: 2 })
  const chrome = await openChrome()
  try {
    const page = await chrome.context.newPage()
    await page.goto(farm.dashboardUrl)
    await page.waitForSelector('.page-head')
    await page.goto(`${farm.url}/farm/nodes`)
    await page.waitForSelector('tbody a')
    await page.close()
    const url = `${farm.url}/farm/nodes`
    return await scoreOf(chrome, { name: 'node list', url, repeats, demand: usual })
  } finally {
    await chrome.close()
    await farm.stop()
  }
}

async function scoreOf(
  chrome: Chrome,
  { name, url, repeats, demand }: { name: string; url: string; repeats: number; demand?: Demand },
): Promise<Figure[]> {
  const runs: Verdict[] = []
  for (let run = 0; run < repeats; run += 1) runs.push(await chrome.lighthouse(url))
  const median = (of: (run: Verdict) => number) => percentile(runs.map(of), 50)
  const index = median(({ benchmarkIndex }) => benchmarkIndex)
  const note = `index ${index.toFixed(0)}`
  const isSlow = index < leastIndex
  /** A time or a score; a slow machine cannot judge times. */
  const row = (part: string, of: (run: Verdict) => number, limit: Partial<Figure> = {}): Figure => {
    const seen = median(of)
    const isJudged = limit.most !== undefined || limit.least !== undefined
    const skipped = Number.isNaN(seen) ? 'Lighthouse gave none' : undefined
    const unjudged = skipped ?? (limit.unit !== undefined && isSlow ? tooSlow : undefined)
    const reason = isJudged && unjudged !== undefined ? { unjudged } : {}
    return { name: `${name}: ${part}`, seen, note, ...limit, ...reason }
  }
  const most = (value: number | undefined) => (value === undefined ? {} : { most: value })
  const { performance, lcp, tbt } = demand ?? {}
  const least = performance === undefined ? {} : { least: performance }
  const all = demand === undefined ? {} : { least: 100 }
  return [
    row('performance', (run) => run.performance, { ...least, unit: '' }),
    row('accessibility', (run) => run.accessibility, all),
    row('best practices', (run) => run.bestPractices, all),
    row('largest paint', (run) => run.lcp, { ...most(lcp), unit: 'ms' }),
    row('blocked', (run) => run.tbt, { ...most(tbt), unit: 'ms' }),
  ]
}

const tooSlow = `the machine's index must be at least ${leastIndex} to judge times`

/** A page of one heading: no page of this machine is faster. */
async function serveBarePage() {
  const page = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
    <meta name="description" content="A page to compare with."><title>Bare</title><h1>Bare</h1></html>`
  const server = createServer((_, reply) => {
    reply.setHeader('content-type', 'text/html; charset=utf-8').end(page)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => void server.close() }
}
