import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from 'playwright-core'
import type { Figure } from './figure.ts'
import { openSignedIn, sendBulk, sendFilm } from './signed-in-browser.ts'

const idleMinutes = 2

/** Ten tabs of one browser: the streams that they hold, and what they ask for while nothing happens. */
export async function tabs(): Promise<Figure[]> {
  const signedIn = await openSignedIn()
  try {
    const { context, open } = signedIn
    const jobId = await sendFilm(signedIn, 'A film')
    const bulkId = await sendBulk(signedIn, 'A bulk')
    const streams = new Set<Request>()
    let asked = 0
    context.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) asked += 1
      if (pathname === '/api/events') streams.add(request)
    })
    const end = (request: Request) => streams.delete(request)
    context.on('requestfinished', end).on('requestfailed', end)
    const paths = ['/', '/jobs', `/jobs/${jobId}`, '/bulks', `/bulks/${bulkId}`]
    for (const path of [...paths, '/templates', '/webhooks', '/keys', '/credits', '/settings']) {
      await open(path)
    }
    await sleep(10_000)
    asked = 0
    const seen = streams.size
    await sleep(idleMinutes * 60_000)
    return [
      { name: 'streams of ten tabs', seen, most: 1, least: 1 },
      { name: 'requests a minute of ten idle tabs', seen: asked / idleMinutes, most: 2 },
    ]
  } finally {
    await signedIn.close()
  }
}
