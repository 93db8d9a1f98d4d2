import type { Page } from 'playwright-core'

/** Load of one screen in an empty tab. Sizes as they travel, in bytes. */
export type Weight = {
  readonly code: number
  /** Code of workers, which start after the first paint. */
  readonly workers: number
  readonly all: number
  readonly apiRequests: number
}

/** Opens a screen with an empty cache and adds up what it loads until it is quiet. */
export async function weightOf(page: Page, url: string, part: string): Promise<Weight> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  const paths = new Map<string, string>()
  const weight = { code: 0, workers: 0, all: 0, apiRequests: 0 }
  // Their scripts are requests of their own targets, which the page's does not tell.
  const workers = new Set<string>()
  page.on('worker', (worker) => workers.add(worker.url()))
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => {
    const { pathname } = new URL(request.url)
    paths.set(requestId, pathname)
    if (pathname.startsWith('/api/')) weight.apiRequests += 1
  })
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const path = paths.get(requestId) ?? ''
    if (/\.(js|css)$/.test(path)) weight.code += encodedDataLength
    weight.all += encodedDataLength
  })
  await page.goto(url)
  await page.waitForSelector(part)
  await page.waitForLoadState('load')
  await page.waitForTimeout(1_500)
  await devtools.detach()
  for (const worker of workers) weight.workers += await bytesOf(worker)
  return { ...weight, all: weight.all + weight.workers }
}

/** Returns a file's bytes as a browser gets it, packed. */
async function bytesOf(url: string): Promise<number> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'br' } })
  await answer.body?.cancel()
  return Number(answer.headers.get('content-length'))
}
