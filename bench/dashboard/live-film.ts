import type { Page } from 'playwright-core'
import { planOf, segmentFiles } from '../play-events.ts'
import { percentile } from '../statistics.ts'
import { startWarmFarm, type WarmFarm } from '../warm-farm.ts'
import { openChrome } from './chrome.ts'
import type { Figure } from './figure.ts'
import { framesOnScreen, watchFilm, watchProgress } from './film-watch.ts'

const scenes = 30
const sceneSeconds = 2
const seeks = 20

/** A film of 60 seconds on a whole farm of one lane: what its page shows, and how long after it happened. */
export async function liveFilm(): Promise<Figure[]> {
  const farm = await startWarmFarm({ env: { FARM_LANES: '1' } })
  const chrome = await openChrome()
  try {
    const page = await chrome.context.newPage()
    await page.addInitScript(watchProgress)
    await page.addInitScript(watchFilm)
    await page.goto(farm.dashboardUrl)
    await page.waitForSelector('.page-head')
    await farm.render(film('warm up', 2))
    const { delays, playable } = await watchOne(farm, page)
    const sought = await seekAhead(farm, page)
    const note = (times: readonly number[]) =>
      `median ${percentile(times, 50).toFixed(0)} ms of ${times.length}`
    return [
      {
        ...{ name: 'segment ended to progress on screen, p95', seen: percentile(delays, 95) },
        ...{ most: 1_500, unit: 'ms', note: note(delays) },
      },
      {
        ...{ name: 'segment there to its frame on screen, p95', seen: percentile(sought, 95) },
        ...{ most: 300, unit: 'ms', note: note(sought) },
      },
      { name: 'first second playable, of the render', seen: playable * 100, most: 40, unit: '%' },
    ]
  } finally {
    await chrome.close()
    await farm.stop()
  }
}

/** Renders a film under its page. One lane ends one segment at a time, so progress tells of each. */
async function watchOne(farm: WarmFarm, page: Page) {
  const before = new Set((await segmentFiles(farm)).map(({ path }) => path))
  const begun = Date.now()
  const { jobId } = await farm.client.submit({ payload: film('watched', scenes) })
  await page.goto(`${farm.url}/jobs/${jobId}`)
  await farm.client.wait(jobId)
  const ended = Date.now()
  await page.waitForSelector('.page-head .state.good')
  await page.waitForTimeout(1_000)
  const shown = (await page.evaluate('globalThis.farmProgress')) as {
    at: number
    percent: number
  }[]
  const playableAt = (await page.evaluate('globalThis.farmPlayable')) as number
  const { segments } = await planOf(farm, jobId)
  const total = segments.reduce((sum, { frames }) => sum + frames, 0)
  const made = (await segmentFiles(farm)).filter(({ path }) => !before.has(path))
  let frames = 0
  const delays = made
    .toSorted((a, b) => a.storedAt - b.storedAt)
    .map(({ index, storedAt }) => {
      frames += segments[index]?.frames ?? 0
      // The part of a job's progress that its frames are (core/jobs/jobs.ts).
      const percent = Math.floor(5 + (90 * frames) / total)
      const seen = shown.find((each) => each.at >= storedAt - 50 && each.percent >= percent)
      if (!seen) throw new Error(`the page must have shown ${percent} %`)
      return Math.max(0, seen.at - storedAt)
    })
  return { delays, playable: (playableAt - begun) / (ended - begun) }
}

/** Seeks to pieces that are not rendered yet, which the farm renders first; the player waits for each. */
async function seekAhead(farm: WarmFarm, page: Page): Promise<readonly number[]> {
  const { jobId } = await farm.client.submit({ payload: film('sought', scenes * 5) })
  await page.goto(`${farm.url}/jobs/${jobId}`)
  await page.waitForSelector('video')
  const seconds = scenes * 5 * sceneSeconds
  const times: number[] = []
  for (let seek = 0; seek < seeks; seek += 1) {
    // From the end backwards, far from what was fetched ahead.
    const place = seconds - (seek + 1) * ((seconds - 60) / seeks)
    times.push(...(await framesOnScreen(page, place)))
  }
  await farm.client.cancelJob(jobId)
  if (times.length < seeks / 2) throw new Error(`${times.length} of ${seeks} seeks were waited for`)
  return times
}

function film(words: string, count: number): object {
  const text = { type: 'TEXT', position: 'center-center', enterAnimation: 'slideleft' }
  return {
    ...{ name: words, width: 1280, height: 720 },
    scenes: Array.from({ length: count }, (_, n) => ({
      ...{ id: `s${n}`, duration: sceneSeconds },
      backgroundColor: `#${100_000 + ((n * 25_000) % 900_000)}`,
      visuals: [{ ...text, html: `<b>${words} ${n}</b>`, enterEnd: sceneSeconds }],
    })),
  }
}
