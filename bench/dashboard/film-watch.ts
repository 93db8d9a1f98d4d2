import type { Page } from 'playwright-core'

/** Scripts that watch a job's page from within, and record times of the clock on the wall. */

/** Records each percentage as it is painted; a film that is completed counts as 100. */
export const watchProgress = `
  globalThis.farmProgress = []
  globalThis.farmPlayable = undefined
  const look = () => {
    const bar = document.querySelector('.job-progress progress')
    const state = document.querySelector('.page-head .state')?.textContent.trim()
    const percent = state === 'completed' ? 100 : bar?.value
    const last = globalThis.farmProgress.at(-1)
    if (percent !== undefined && last?.percent !== percent) {
      setTimeout(() => globalThis.farmProgress.push({ at: Date.now(), percent }))
    }
    const film = document.querySelector('video')
    if (film?.buffered.length > 0 && film.buffered.start(0) < 0.1 && film.buffered.end(0) >= 1) {
      globalThis.farmPlayable ??= Date.now()
    }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)`

/** Records where each piece of the pictures begins, and when it has come. */
export const watchFilm = `
  globalThis.farmStarts = []
  globalThis.farmPieces = []
  const send = globalThis.fetch
  globalThis.fetch = async (...given) => {
    const reply = await send(...given)
    const piece = /pictures-(\\d+)\\.m4s/.exec(reply.url)?.[1]
    if (reply.ok && piece !== undefined) globalThis.farmPieces[piece] = performance.now()
    if (reply.ok && /pictures\\.m3u8/.test(reply.url)) {
      let start = 0
      for (const [, length] of (await reply.clone().text()).matchAll(/#EXTINF:([\\d.]+)/g)) {
        globalThis.farmStarts.push(start)
        start += Number(length)
      }
    }
    return reply
  }`

/**
 * Seeks the film, and returns the time from the piece of that place to its frame on the screen; nothing where
 * it was there already.
 */
export async function framesOnScreen(page: Page, seconds: number): Promise<readonly number[]> {
  return (await page.evaluate(`new Promise((resolve) => {
    const film = document.querySelector('video')
    const begun = performance.now()
    const shown = (now, { mediaTime }) => {
      if (Math.abs(mediaTime - ${seconds}) > 0.5) return film.requestVideoFrameCallback(shown)
      const piece = globalThis.farmStarts.findLastIndex((start) => start <= ${seconds} + 0.01)
      const came = globalThis.farmPieces[piece] - begun
      resolve(came > 0 ? [performance.now() - begun - came] : [])
    }
    film.requestVideoFrameCallback(shown)
    film.currentTime = ${seconds}
  })`)) as number[]
}
