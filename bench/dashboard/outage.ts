import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Figure } from './figure.ts'
import { openSignedIn } from './signed-in-browser.ts'

const awayMs = 10_000
const lookMs = 10
const patienceMs = 60_000

/** The api is killed for ten seconds under a list and a form. */
export async function outage(): Promise<Figure[]> {
  const signedIn = await openSignedIn()
  try {
    const { stage, customer, open } = signedIn
    const [killed = 0] = stage.pids.apis
    const other = stage.addresses[1] ?? ''
    const list = await open('/jobs')
    const form = await open('/keys')
    await form.click('text=New key')
    await form.fill('dialog input[name=name]', 'typed before it went')
    for (const page of [list, form]) await page.evaluate('globalThis.isSame = true')

    const killedAt = performance.now()
    process.kill(killed, 'SIGKILL')
    await until(list, has('.banner'))
    const banner = performance.now() - killedAt
    const headers = { 'x-api-key': customer.key, 'content-type': 'application/json' }
    const payload = { name: 'sent meanwhile', width: 64, height: 64, duration: 1 }
    const body = JSON.stringify({ payload })
    const sent = await fetch(`${other}/api/render/api-key`, { method: 'POST', headers, body })
    if (!sent.ok) throw new Error(await sent.text())
    await sleep(awayMs - (performance.now() - killedAt))
    await stage.startApiAgain(0)
    const backAt = performance.now()
    await until(
      list,
      `!(${has('.banner')}) && document.body.textContent.includes('sent meanwhile')`,
    )
    const right = performance.now() - backAt
    const typed = await form.inputValue('dialog input[name=name]').catch(() => '')
    const reloads = [list, form].map((page) => page.evaluate('globalThis.isSame !== true'))
    return [
      { name: 'api killed: banner', seen: banner, most: 3_000, unit: 'ms' },
      { name: 'api back: list right again', seen: right, most: 3_000, unit: 'ms' },
      { name: 'api killed: pages reloaded', seen: await countOf(reloads), most: 0 },
      { name: 'api killed: forms lost', seen: typed === 'typed before it went' ? 0 : 1, most: 0 },
    ]
  } finally {
    await signedIn.close()
  }
}

const has = (part: string) => `document.querySelector('${part}') !== null`

const countOf = async (answers: readonly Promise<unknown>[]) =>
  (await Promise.all(answers)).filter(Boolean).length

/** Looks from outside: the pages' policy lets nothing evaluate text in them. */
async function until(page: Page, condition: string): Promise<void> {
  const begun = performance.now()
  while (!(await page.evaluate(condition))) {
    if (performance.now() - begun > patienceMs) throw new Error(`the page must reach ${condition}`)
    await sleep(lookMs)
  }
}
