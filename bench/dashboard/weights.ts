import type { Figure } from './figure.ts'
import { weightOf } from './page-weight.ts'
import { openSignedIn, sendFilm } from './signed-in-browser.ts'

/** Sizes of the screens as they travel, each with an empty cache. */
export async function weights(): Promise<Figure[]> {
  const signedIn = await openSignedIn()
  try {
    const jobId = await sendFilm(signedIn, 'A film')
    const figures: Figure[] = []
    for (const [name, path, part, most] of [
      ['overview', '/', '.page-head', 60],
      ['job', `/jobs/${jobId}`, '.page-head', 90],
      ['editor', '/editor', '.cm-content', 200],
    ] as const) {
      const page = await signedIn.context.newPage()
      const { code, workers, all, apiRequests } = await weightOf(page, signedIn.origin + path, part)
      await page.close()
      figures.push({ name: `${name}: code`, seen: code / 1000, most, unit: 'kB' })
      if (name === 'editor') {
        figures.push({ name: 'editor: its worker', seen: workers / 1000, most: 181, unit: 'kB' })
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
