import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Figure } from './figure.ts'
import { weightOf } from './page-weight.ts'
import { openSignedIn, sendFilm, sendTemplate } from './signed-in-browser.ts'

const built = new URL('../../out/dashboard', import.meta.url).pathname

/** Code of all pages and workers, as browsers get it. No visitor loads all of it. */
async function allCode(): Promise<Figure> {
  const names = await readdir(built, { recursive: true })
  const sizes = async (ending: string) => {
    const files = names.filter((name) => name.endsWith(ending))
    const sum = (await Promise.all(files.map((name) => stat(join(built, name))))).map(
      ({ size }) => size,
    )
    return sum.reduce((a, b) => a + b, 0) / 1000
  }
  const note = `${Math.round(await sizes('.gz'))} kB by gzip`
  return { name: 'all pages: code', seen: await sizes('.br'), most: 500, unit: 'kB', note }
}

/** Sizes of the screens as they travel, each with an empty cache. */
export async function weights(): Promise<Figure[]> {
  const signedIn = await openSignedIn()
  try {
    const jobId = await sendFilm(signedIn, 'A film')
    const visuals = [{ type: 'TEXT', text: '{{ guest }}' }]
    const payload = { type: 'image', width: 320, height: 180, visuals }
    const templateId = await sendTemplate(signedIn, payload)
    const figures: Figure[] = [await allCode()]
    for (const [name, path, part, most] of [
      ['overview', '/', '.page-head', 60],
      ['job', `/jobs/${jobId}`, '.page-head', 90],
      ['editor', '/editor', '.cm-content', 200],
      ['new bulk', `/bulks/new?template=${templateId}`, '.row-picture', 90],
    ] as const) {
      const page = await signedIn.context.newPage()
      const work = works[name]
      const url = signedIn.origin + path
      const loaded = await weightOf(page, { url, part, ...(work && { work }) })
      const { code, workers, all, apiRequests } = loaded
      await page.close()
      figures.push({ name: `${name}: code`, seen: code / 1000, most, unit: 'kB' })
      if (workers > 0) {
        figures.push({ name: `${name}: its worker`, seen: workers / 1000, most: 181, unit: 'kB' })
      }
      if (name !== 'overview') continue
      figures.push({ name: `${name}: everything`, seen: all / 1000, most: 150, unit: 'kB' })
      figures.push({ name: `${name}: requests to the api`, seen: apiRequests, most: 6 })
    }
    return figures
  } finally {
    await signedIn.close()
  }
}

/** Acts by which a page loads what it loads late: words at the caret, the judge of a table. */
const works: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  editor: async (page) => await page.locator('.cm-content').click(),
  async 'new bulk'(page) {
    await page.click('summary:has-text("paste rows")')
    await page.fill('textarea', 'guest\nAda')
  },
}
