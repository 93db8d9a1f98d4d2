import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { type Customer, type Stage, startStage } from '../api/stage.ts'
import { percentile, showTable } from '../statistics.ts'
import { weightOf } from './page-weight.ts'
import { openSignedIn, type SignedIn, type Verdict } from './signed-in-browser.ts'
import { busyShare, changeJobs, heapOf, watchPaints } from './updates.ts'

type Figure = {
  readonly name: string
  readonly seen: number
  readonly most?: number
  readonly least?: number
  readonly unit?: string
  readonly note?: string
}

const rows = 10_000
const updatesPerSecond = 200
/** Slower machines make Lighthouse's times meaningless. */
const leastIndex = 500

/**
 * Prints the dashboard's figures beside their limits, and fails on a breach. `minutes`: length of the
 * measurement of memory under 20 updates a second.
 */
export async function benchDashboard(repeats: number, minutes = '2'): Promise<void> {
  const stage = await startStage()
  try {
    const [customer] = await stage.customers(1)
    if (!customer) throw new Error('the stage must have a customer')
    const jobId = await addRows(stage, customer)
    const signedIn = await openSignedIn(stage, customer)
    const listed = [
      ...(await weights(signedIn, jobId)),
      ...(await lists(signedIn, { stage, customer })),
    ]
    // Its jobs would lengthen the list.
    const bulkId = await addBulk(stage, customer)
    const figures = [
      ...listed,
      ...(await memory(signedIn, { stage, customer, minutes: Number(minutes) })),
      ...(await scores(signedIn, { repeats, jobId, bulkId })),
    ]
    await signedIn.close()
    report(figures)
  } finally {
    await stage.stop()
  }
}

const film = (name: string) => ({
  ...{ name, width: 320, height: 180, duration: 1 },
  visuals: [{ type: 'TEXT', text: 'Hello' }],
})

async function post(url: string, key: string, body: unknown) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${await reply.text()}`)
  return (await reply.json()) as { readonly jobId: string; readonly bulkId: string }
}

async function addBulk({ addresses }: Stage, { key }: Customer): Promise<string> {
  const items = Array.from({ length: 50 }, (_, at) => ({ name: `Guest ${at}`, variables: {} }))
  const url = `${addresses[0]}/api/render/bulk/api-key`
  return (await post(url, key, { payload: film('A bulk'), items })).bulkId
}

async function addRows({ addresses, db }: Stage, { key, accountId }: Customer): Promise<string> {
  const { jobId } = await post(`${addresses[0]}/api/render/api-key`, key, {
    payload: film('A film'),
  })
  await sql`insert into jobs select (jsonb_populate_record(jobs, jsonb_build_object(
    'id', gen_random_uuid(), 'name', 'row ' || n, 'state', 'rendering', 'stage', 'render',
    'frames_total', 100000, 'created_at', now() - n * interval '1 second'))).*
    from jobs, generate_series(2, ${rows}::int) n where account_id = ${accountId}`.execute(db)
  return jobId
}

async function weights({ page, origin }: SignedIn, jobId: string): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, path, part, most] of [
    ['overview', '/', '.page-head', 60],
    ['job', `/jobs/${jobId}`, '.page-head', 90],
    ['editor', '/editor', '.cm-content', 381],
  ] as const) {
    const { code, all, apiRequests } = await weightOf(page, origin + path, part)
    figures.push({ name: `${name}: code`, seen: code / 1000, most, unit: 'kB' })
    if (name !== 'overview') continue
    figures.push({ name: `${name}: everything`, seen: all / 1000, most: 150, unit: 'kB' })
    figures.push({ name: `${name}: requests to the api`, seen: apiRequests, most: 6 })
  }
  return figures
}

type Rows = { readonly stage: Stage; readonly customer: Customer }

async function lists(
  { context, origin, page: first }: SignedIn,
  { stage, customer }: Rows,
): Promise<Figure[]> {
  const page = await context.newPage()
  // The tab that was first holds the stream until it closes.
  await first.close()
  await page.addInitScript(watchPaints)
  await page.goto(`${origin}/jobs`)
  await page.waitForSelector('tbody a')
  const elements = await page.locator('tbody tr').count()
  await page.locator('tbody a').first().focus()
  const last = await timeToLastRow(page)
  await page.keyboard.press('Home')
  await page.waitForSelector('tr[data-index="0"] a')
  const { accountId } = customer
  const work = () => changeJobs(stage, { accountId, perSecond: updatesPerSecond, seconds: 10 })
  const busy = await busyShare(page, { slowness: 4, work })
  await page.evaluate('globalThis.farmPaints.length = 0')
  await changeJobs(stage, { accountId, perSecond: 20, seconds: 10 })
  const paints = (await page.evaluate('globalThis.farmPaints')) as number[]
  await page.close()
  return [
    { name: `row elements of ${rows}`, seen: elements, most: 60 },
    { name: 'End key to the last row', seen: last, most: 200, unit: 'ms' },
    {
      name: `main thread, ${updatesPerSecond} updates/s, CPU/4`,
      seen: busy * 100,
      most: 50,
      unit: '%',
    },
    { name: 'event to paint, median', seen: percentile(paints, 50), most: 30, unit: 'ms' },
    { name: 'event to paint, p95', seen: percentile(paints, 95), most: 100, unit: 'ms' },
  ]
}

async function timeToLastRow(page: Page): Promise<number> {
  return (await page.evaluate(`new Promise((resolve) => {
    const begun = performance.now()
    const look = () => document.activeElement?.closest('tr')?.dataset.index === '${rows - 1}'
      ? resolve(performance.now() - begun) : requestAnimationFrame(look)
    document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'End', bubbles: true }))
    look()
  })`)) as number
}

async function memory(
  { context, origin }: SignedIn,
  { stage, customer, minutes }: Rows & { minutes: number },
): Promise<Figure[]> {
  const page = await context.newPage()
  await page.goto(`${origin}/jobs`)
  await page.waitForSelector('tbody a')
  const { accountId } = customer
  const early = Math.min(5, minutes / 4) * 60
  await changeJobs(stage, { accountId, perSecond: 20, seconds: early })
  const before = await heapOf(page)
  await changeJobs(stage, { accountId, perSecond: 20, seconds: minutes * 60 - early })
  const after = await heapOf(page)
  await page.close()
  const note = `${before.toFixed(1)} to ${after.toFixed(1)} MB`
  return [{ name: `memory after ${minutes} min`, seen: after / before, most: 1.2, unit: 'x', note }]
}

async function scores(
  signedIn: SignedIn,
  { repeats, jobId, bulkId }: { repeats: number; jobId: string; bulkId: string },
): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, path] of [
    ['overview', '/'],
    ['jobs', '/jobs'],
    ['job', `/jobs/${jobId}`],
    ['bulk', `/bulks/${bulkId}`],
  ] as const) {
    const runs: Verdict[] = []
    for (let run = 0; run < repeats; run += 1) runs.push(await signedIn.lighthouse(path))
    const median = (of: (run: Verdict) => number) => percentile(runs.map(of), 50)
    const index = median(({ benchmarkIndex }) => benchmarkIndex)
    const isSlow = index < leastIndex
    const note = `index ${index.toFixed(0)}${isSlow ? ', too slow to judge times' : ''}`
    const times = isSlow ? {} : { least: 95 }
    figures.push(
      { name: `${name}: performance`, seen: median((run) => run.performance), ...times, note },
      { name: `${name}: accessibility`, seen: median((run) => run.accessibility), least: 100 },
      { name: `${name}: best practices`, seen: median((run) => run.bestPractices), least: 100 },
      {
        ...{ name: `${name}: largest paint`, seen: median(({ lcp }) => lcp), unit: 'ms', note },
        ...(isSlow ? {} : { most: 1_800 }),
      },
      {
        ...{ name: `${name}: blocked`, seen: median(({ tbt }) => tbt), unit: 'ms', note },
        ...(isSlow ? {} : { most: 150 }),
      },
    )
  }
  return figures
}

function report(figures: readonly Figure[]): void {
  const isBreach = ({ seen, most = Number.POSITIVE_INFINITY, least = 0 }: Figure) =>
    !(seen <= most && seen >= least)
  const limit = ({ most, least }: Figure) =>
    most === undefined ? (least === undefined ? '' : `at least ${least}`) : `at most ${most}`
  const shown = figures.map((figure) => [
    figure.name,
    `${Number(figure.seen.toFixed(figure.seen < 10 ? 2 : 0))} ${figure.unit ?? ''}`,
    limit(figure),
    isBreach(figure) ? 'BREACH' : '',
    figure.note ?? '',
  ])
  process.stdout.write(`\n${showTable(['figure', 'seen', 'limit', '', ''], shown)}\n`)
  if (figures.some(isBreach)) process.exitCode = 1
}
