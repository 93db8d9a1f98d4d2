import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { hashPassword } from '../../api/account/password.ts'
import type { Db } from '../../store/db/database.ts'
import { createOperator } from '../../store/db/operators/create-operator.ts'
import { startStage } from '../api/stage.ts'
import { percentile } from '../statistics.ts'
import { openChrome } from './chrome.ts'
import type { Figure } from './figure.ts'
import { scrollFrames, timeToLastRow } from './lists.ts'
import { busyShare } from './updates.ts'

const nodes = 5_000
/** Share of the nodes that changes each second: it has spoken, and its processor does something else. */
const spokenEach = 5
const watchedMs = 10_000
const password = 'correct horse battery'
const email = 'ada@example.com'

/** The operators' page of five thousand nodes, all of which speak while it is shown. */
export async function fleet(): Promise<Figure[]> {
  const stage = await startStage({ operatorApi: 'on' })
  const chrome = await openChrome()
  try {
    await addNodes(stage.db)
    const stored = { email, password: await hashPassword(password), madeBy: 'bench' }
    await createOperator(stage.db, { ...stored, role: 'operator' })
    const page = await chrome.context.newPage()
    const origin = stage.addresses[0] ?? ''
    await page.goto(`${origin}/farm`)
    await page.fill('input[name=email]', email)
    await page.fill('input[name=password]', password)
    await page.click('button[type=submit]')
    await page.waitForSelector('.page-head')
    return await measure(page, { db: stage.db, address: `${origin}/farm/nodes` })
  } finally {
    await chrome.close()
    await stage.stop()
  }
}

async function measure(
  page: Page,
  { db, address }: { db: Db; address: string },
): Promise<Figure[]> {
  const answers: { ms: number; kilobytes: number }[] = []
  page.on('requestfinished', async (request) => {
    if (!request.url().endsWith('/api/operator/nodes')) return
    const { responseEnd, requestStart } = request.timing()
    const { responseBodySize } = await request.sizes()
    answers.push({ ms: responseEnd - requestStart, kilobytes: responseBodySize / 1000 })
  })
  const begun = performance.now()
  await page.goto(address)
  await page.waitForSelector('tbody .job-name a')
  const shown = performance.now() - begun
  const elements = await page.locator('tbody tr').count()
  const busy = await busyShare(page, { slowness: 4, work: () => speak(db) })
  await page.locator('tbody a').first().focus()
  const last = await timeToLastRow(page, nodes)
  await page.keyboard.press('Home')
  await page.waitForSelector('tr[data-index="0"] a')
  const frames = await scrollFrames(page)
  const gridBegun = performance.now()
  await page.goto(`${address}?view=grid`)
  await page.waitForSelector('.node-card')
  const gridShown = performance.now() - gridBegun
  const gridBusy = await busyShare(page, { slowness: 4, work: () => speak(db) })
  const times = answers.map(({ ms }) => ms)
  const note = `${Math.round(answers[0]?.kilobytes ?? 0)} kB each`
  await page.close()
  return [
    { name: `page of ${nodes} nodes shown`, seen: shown, most: 2_500, unit: 'ms' },
    { name: `row elements of ${nodes} nodes`, seen: elements, most: 60 },
    { name: 'list of nodes from the api, p95', seen: percentile(times, 95), unit: 'ms', note },
    { name: 'main thread, all nodes speak, CPU/4', seen: busy * 100, most: 50, unit: '%' },
    { name: `grid of ${nodes} nodes shown`, seen: gridShown, most: 2_500, unit: 'ms' },
    { name: 'main thread of the grid, CPU/4', seen: gridBusy * 100, most: 50, unit: '%' },
    { name: 'End key to the last node', seen: last, most: 200, unit: 'ms' },
    { name: 'frame while nodes scroll, p95', seen: percentile(frames, 95), most: 34, unit: 'ms' },
  ]
}

async function addNodes(db: Db): Promise<void> {
  const offer = {
    ...{ kinds: ['ingest', 'bake', 'render', 'assemble', 'still', 'make', 'sheet'], slots: 8 },
    ...{ encoders: ['libx264', 'h264_nvenc'], canvas: 'skia', device: 'NVIDIA L4', tags: [] },
    ...{ memoryMb: 64_000, encoderSessions: 8, gpuMemoryMb: 24_000, lanes: 8 },
  }
  const usage = { cpu: 0.5, memoryUsedMb: 20_000, memoryMb: 64_000, diskUsedMb: 9, diskMb: 900 }
  await sql`
    insert into nodes (id, name, version, state, offer, usage)
    select gen_random_uuid(), 'render-' || n, '0.2.0',
      case when n % 50 = 0 then 'cordoned' when n % 333 = 0 then 'quarantined' else 'active' end,
      ${JSON.stringify(offer)}::jsonb || jsonb_build_object('pool', 'pool-' || n % 20),
      ${JSON.stringify(usage)}::jsonb
    from generate_series(1, ${nodes}::int) n`.execute(db)
}

/** Lets a part of the nodes speak each second, in turn. */
async function speak(db: Db): Promise<void> {
  const end = Date.now() + watchedMs
  for (let turn = 0; Date.now() < end; turn += 1) {
    await sql`
      update nodes set last_seen_at = now(), usage = usage || jsonb_build_object('cpu', random())
      where abs(hashtext(id::text)) % ${spokenEach} = ${turn % spokenEach}`.execute(db)
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}
