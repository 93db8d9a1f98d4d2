import type { Page } from 'playwright-core'
import { rowsAt } from '../looks.ts'

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const numberedStart = '00000000-0000-4000-8000-'

/**
 * Lets a page read the farm's own answers with the same ids, times and ages in every run, so that its pictures can be
 * compared. Ids are numbered as they come, and the farm gets its own back.
 */
export async function pinAnswers(page: Page): Promise<void> {
  const ids: string[] = []
  const numbered = (id: string) => {
    if (!ids.includes(id)) ids.push(id)
    return numberedStart + String(ids.indexOf(id)).padStart(12, '0')
  }
  const own = (id: string) =>
    id.startsWith(numberedStart) ? (ids[Number(id.slice(numberedStart.length))] ?? id) : id
  const isPinned = ({ pathname }: URL) =>
    pathname.startsWith('/api/operator/') && !pathname.endsWith('/auth/refresh')
  await page.route(isPinned, async (route) => {
    if (route.request().method() !== 'GET') return await route.continue()
    const response = await route.fetch({ url: route.request().url().replace(uuid, own) })
    const body = (await response.text())
      .replace(uuid, numbered)
      .replace(/\b[0-9a-f]{32}\b/g, '0'.repeat(32))
      .replace(/\bsvc_[0-9a-f]+/g, (start) => start.replace(/(?<=_.*)./g, '0'))
      .replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, rowsAt.toISOString())
      .replace(/("(?:\w+S|s)econds":)[\d.e-]+/g, '$1 12')
    await route.fulfill({ response, body })
  })
}
