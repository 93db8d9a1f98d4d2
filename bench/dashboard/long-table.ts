import type { Page } from 'playwright-core'
import type { Figure } from './figure.ts'
import { openSignedIn, sendTemplate } from './signed-in-browser.ts'

const rows = 10_000

/** Ten thousand rows of a table in New bulk: how long they block the page, and until they are judged. */
export async function longTable(): Promise<Figure[]> {
  const signedIn = await openSignedIn()
  try {
    const visuals = [{ type: 'TEXT', text: '{{ guest }}, {{ seat }}' }]
    const payload = { type: 'image', width: 320, height: 180, variables: { seat: 1 }, visuals }
    const id = await sendTemplate(signedIn, payload)
    const page = await signedIn.open(`/bulks/new?template=${id}`, watchTasks)
    await page.waitForSelector('text=Chosen')
    const begun = performance.now()
    await dropTable(page)
    await page.getByRole('button', { name: 'Render 10,000 rows' }).waitFor()
    const seconds = (performance.now() - begun) / 1000
    const read = await longestTask(page)
    await page.getByLabel('guest of row 2', { exact: true }).fill('Ada')
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Checking the rows…' }).waitFor()
    await page.getByRole('button', { name: 'Render 10,000 rows' }).waitFor()
    const changed = await longestTask(page)
    const note = `all judged after ${seconds.toFixed(1)} s`
    const most = 200
    return [
      {
        name: `table of ${rows} rows: longest task of its page`,
        seen: read,
        most,
        unit: 'ms',
        note,
      },
      { name: 'a cell of it changed: longest task', seen: changed, most, unit: 'ms' },
    ]
  } finally {
    await signedIn.close()
  }
}

async function dropTable(page: Page): Promise<void> {
  const lines = Array.from({ length: rows }, (_, i) => `Guest ${i + 1},${i + 1}`)
  const buffer = Buffer.from(`guest,seat\n${lines.join('\n')}\n`)
  const file = { name: 'guests.csv', mimeType: 'text/csv', buffer }
  await page.locator('input[type=file]').nth(1).setInputFiles(file)
}

/** Page script: records the lengths of tasks that block the page, from 50 ms on. */
const watchTasks = `
  globalThis.farmTasks = []
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.farmTasks.push(duration)
  }).observe({ type: 'longtask' })`

/** Returns the longest task since it was asked last, ms; none is below 50. */
async function longestTask(page: Page): Promise<number> {
  return (await page.evaluate('Math.max(0, ...globalThis.farmTasks.splice(0))')) as number
}
