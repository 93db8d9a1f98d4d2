import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import type { Figure } from './figure.ts'
import { openSignedIn, sendBulk, sendFilm } from './signed-in-browser.ts'

const require = createRequire(import.meta.url)
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const widths = [1280, 320]

/** Every screen in both themes and both widths: what axe finds, the policy reports and the console says. */
export async function faults(): Promise<Figure[]> {
  const signedIn = await openSignedIn()
  try {
    const jobId = await sendFilm(signedIn, 'A film')
    const bulkId = await sendBulk(signedIn, 'A bulk')
    const screens = ['/', '/jobs', `/jobs/${jobId}`, '/bulks', `/bulks/${bulkId}`, '/bulks/new']
    const more = ['/templates', '/editor', '/webhooks', '/keys', '/credits', '/settings', '/none']
    const page = await signedIn.open('/', watchPolicy)
    let [violations, breaches, errors] = [0, 0, 0]
    const isOwn = (text: string) => !text.includes('/api/render/preview')
    page.on('pageerror', () => (errors += 1))
    page.on('console', (message) => {
      // No node of this stage paints the editor's picture.
      if (message.type() === 'error' && isOwn(message.location().url)) errors += 1
    })
    const seen: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of widths) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        for (const path of [...screens, ...more]) {
          await page.goto(signedIn.origin + path)
          await page.waitForSelector('.page-head')
          const found = await axe(page)
          violations += found.length
          seen.push(...found.map((each) => `${path} ${each}`))
          breaches += (await page.evaluate('globalThis.farmBreaches')) as number
        }
      }
    }
    const screenCount = (screens.length + more.length) * widths.length * 2
    const note = [`${screenCount} screens`, ...new Set(seen)].join('; ')
    return [
      { name: 'axe violations', seen: violations, most: 0, note },
      { name: 'reports of the policy', seen: breaches, most: 0 },
      { name: 'errors on the console', seen: errors, most: 0 },
    ]
  } finally {
    await signedIn.close()
  }
}

async function axe(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'))
  return (await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(rules)} })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target }) => id + ' ' + target.join(' '))))`)) as string[]
}

/** Page script: counts what the pages' policy refuses. */
const watchPolicy = `
  globalThis.farmBreaches = 0
  document.addEventListener('securitypolicyviolation', () => { globalThis.farmBreaches += 1 })`
