import type { Page } from 'playwright-core'

/** Load of one screen in an empty tab. Sizes as they travel, in bytes. */
export type Weight = {
  readonly code: number
  /** Code of workers, which start after the first paint. */
  readonly workers: number
  readonly all: number
  readonly apiRequests: number
}

/**
 * Opens a screen with an empty cache and adds up what it loads until it is quiet. `work`: what is done there
 * before the screen is whole.
 */
export async function weightOf(
  page: Page,
  { url, part, work }: { url: string; part: string; work?: (page: Page) => Promise<void> },
): Promise<Weight> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  const paths = new Map<string, string>()
  const weight = { code: 0, workers: 0, all: 0, apiRequests: 0 }
  // Scripts of workers are requests of targets of their own, which the page's session does not tell.
  const scripts = new Set<string>()
  page.on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('.js')) scripts.add(request.url())
  })
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
  await work?.(page)
  await page.waitForSelector(part)
  await page.waitForLoadState('load')
  await page.waitForTimeout(1_500)
  await devtools.detach()
  const own = new Set(paths.values())
  const ofWorkers = [...scripts].filter((script) => !own.has(new URL(script).pathname))
  for (const script of ofWorkers) weight.workers += await bytesOf(script)
  return { ...weight, all: weight.all + weight.workers }
}

/** Returns a file's bytes as a browser gets it, packed. */
async function bytesOf(url: string): Promise<number> {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'br' } })
  await answer.body?.cancel()
  return Number(answer.headers.get('content-length'))
}
