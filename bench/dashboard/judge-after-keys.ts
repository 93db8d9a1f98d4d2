import { readFile } from 'node:fs/promises'
import { percentile } from '../statistics.ts'
import type { Figure } from './figure.ts'
import { openSignedIn, sendTemplate } from './signed-in-browser.ts'

const project = new URL('../../examples/listing-reel/project.json', import.meta.url)
const keys = 60
/** Longer than the judge waits for the next key, so that each is judged. */
const betweenMs = 350

/** Time from a key press in the editor to the painted judgement, its wait for more keys included. */
export async function judgeAfterKeys(): Promise<Figure[]> {
  const signedIn = await openSignedIn()
  try {
    const media = 'https://example.com/media/'
    const text = (await readFile(project, 'utf8')).replaceAll('../launch/media/', media)
    const { $schema: _, ...payload } = JSON.parse(text)
    const id = await sendTemplate(signedIn, payload)
    const page = await signedIn.open(`/editor?template=${id}`, watchJudge)
    await page.locator('.cm-line', { hasText: '"name"' }).first().click()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.waitForSelector('h2:text("No faults"), .finding')
    await page.evaluate('globalThis.farmJudged.length = 0')
    await page.keyboard.type('a'.repeat(keys), { delay: betweenMs })
    await page.waitForTimeout(2_000)
    const times = (await page.evaluate('globalThis.farmJudged')) as number[]
    if (times.length < keys / 2) throw new Error(`${times.length} of ${keys} keys were judged`)
    const note = `median ${percentile(times, 50).toFixed(0)} ms of ${times.length}`
    const name = 'key press to judgement, listing-reel, p95'
    return [{ name, seen: percentile(times, 95), most: 150, unit: 'ms', note }]
  } finally {
    await signedIn.close()
  }
}

/** Page script: records the time from a key to the paint after the worker's judgement of it. */
const watchJudge = `
  globalThis.farmJudged = []
  let pressed
  addEventListener('keydown', () => { pressed ??= performance.now() }, true)
  const Own = globalThis.Worker
  globalThis.Worker = class extends Own {
    constructor(...given) {
      super(...given)
      this.addEventListener('message', ({ data: { answer } }) => {
        if (pressed === undefined || !answer || !('found' in answer)) return
        const since = pressed
        pressed = undefined
        requestAnimationFrame(() => setTimeout(() => {
          globalThis.farmJudged.push(performance.now() - since)
        }))
      })
    }
  }`
