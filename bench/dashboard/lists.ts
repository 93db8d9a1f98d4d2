import type { Page } from 'playwright-core'
import { percentile } from '../statistics.ts'
import type { Figure } from './figure.ts'
import { addRows, rows } from './rows.ts'
import { openSignedIn, type SignedIn } from './signed-in-browser.ts'
import { busyShare, changeJobs, watchPaints } from './updates.ts'

const updatesPerSecond = 200
const scrolledFrames = 180

/** Ten thousand jobs in one list: walked, scrolled, and changed 200 times a second. */
export async function lists(): Promise<Figure[]> {
  const signedIn = await openSignedIn()
  try {
    await addRows(signedIn)
    return await measure(signedIn)
  } finally {
    await signedIn.close()
  }
}

async function measure({ stage, customer, open }: SignedIn): Promise<Figure[]> {
  const page = await open('/jobs', watchPaints)
  await page.waitForSelector('tbody a')
  const elements = await page.locator('tbody tr').count()
  await page.locator('tbody a').first().focus()
  const last = await timeToLastRow(page, rows)
  await page.keyboard.press('Home')
  await page.waitForSelector('tr[data-index="0"] a')
  const frames = await scrollFrames(page)
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
    { name: 'frame while it scrolls, p95', seen: percentile(frames, 95), most: 34, unit: 'ms' },
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

/** Returns the time from the End key to the focus on the last row, ms. */
export async function timeToLastRow(page: Page, rows: number): Promise<number> {
  return (await page.evaluate(`new Promise((resolve) => {
    const begun = performance.now()
    const look = () => document.activeElement?.closest('tr')?.dataset.index === '${rows - 1}'
      ? resolve(performance.now() - begun) : requestAnimationFrame(look)
    document.activeElement.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'End', bubbles: true }))
    look()
  })`)) as number
}

/** Scrolls the list; returns the frames' lengths, ms. */
export async function scrollFrames(page: Page): Promise<readonly number[]> {
  return (await page.evaluate(scroll)) as number[]
}

/** Page script: scrolls the list by some rows in each frame; returns the frames' lengths. */
const scroll = `new Promise((resolve) => {
  const list = document.querySelector('.virtual')
  const frames = []
  let before = performance.now()
  const step = (now) => {
    frames.push(now - before)
    before = now
    list.scrollTop += 240
    if (frames.length > ${scrolledFrames}) resolve(frames.slice(1))
    else requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
})`
