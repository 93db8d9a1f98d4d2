import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCanvas } from '@napi-rs/canvas'
import test from 'ava'
import { type Browser, chromium, type Page } from 'playwright-core'
import { startMediaServer } from '../../cli/render/media-server.ts'
import { findChromium } from '../../worker/bake/browser.ts'
import { newFolder } from '../cli/run-farm.ts'
import { mediaHostOf } from './playback-media.ts'
import { startFarm } from './running-farm.ts'

/** The page in a real browser, while a farm renders the film. */

const media = await mediaHostOf()
const photos = await photoHost()
const env = { FARM_TRUSTED_HOSTS: `${media.host},${photos.host}` }
const farm = await startFarm({ workers: 1, env })
let browser: Browser
test.before(async () => {
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('this test needs Chromium')
  const args = ['--no-sandbox', '--autoplay-policy=no-user-gesture-required']
  browser = await chromium.launch({ executablePath, args })
})
test.after.always(async () => {
  await browser?.close()
  await farm.stop()
  photos.close()
  await media.close()
})

/** Serves a photograph that takes time to zoom and to encode. */
async function photoHost() {
  const folder = newFolder()
  const canvas = createCanvas(1920, 1080)
  const context = canvas.getContext('2d')
  for (let i = 0; i < 20_000; i += 1) {
    context.fillStyle = `hsl(${(i * 37) % 360}, 60%, ${20 + (i % 60)}%)`
    context.fillRect((i * 7919) % 1920, (i * 104_729) % 1080, 24, 24)
  }
  writeFileSync(join(folder, 'photo.png'), canvas.toBuffer('image/png'))
  const server = await startMediaServer()
  return { ...server, photo: server.offer(join(folder, 'photo.png')) }
}

/** Folder to keep pictures of the page in; none are kept without it. */
const pictures = process.env.FARM_TEST_PICTURES
const sizes = { phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 900 } }

const scenes = 30
const sceneSeconds = 2
const filmSeconds = scenes * sceneSeconds

function film(name: string) {
  const photo = { type: 'IMAGE', src: photos.photo, resize: 'cover', width: 1280, height: 720 }
  const text = { type: 'TEXT', position: 'center-center', enterAnimation: 'slideleft' }
  return {
    name,
    width: 1280,
    height: 720,
    audios: [{ src: media.music }],
    scenes: Array.from({ length: scenes }, (_, n) => ({
      id: `s${n}`,
      duration: sceneSeconds,
      visuals: [
        { ...photo, zoom: { depth: 1.2 + n / 100 } },
        { ...text, html: `<b>${name} ${n}</b>`, enterEnd: sceneSeconds },
      ],
    })),
  }
}

type State = {
  readonly state: string
  readonly pieces: readonly { start: number; seconds: number; isThere: boolean }[]
}

async function open(
  id: string,
  size: keyof typeof sizes,
  colorScheme: 'light' | 'dark',
  script = '',
) {
  const { watchUrl } = await farm.waitFor(id, (job) => job.watchUrl !== null)
  const address = String(watchUrl)
  const context = await browser.newContext({ viewport: sizes[size], colorScheme })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    // A piece that takes more than 20 seconds is asked for again.
    const isWait = message.text().includes('status of 503')
    if (message.type() === 'error' && !isWait) faults.push(message.text())
  })
  await page.addInitScript(script)
  await page.goto(address)
  const state = async (): Promise<State> => {
    const reply = await fetch(`${address.replace('/watch/', '/play/')}/state.json`)
    return (await reply.json()) as State
  }
  return { page, state, faults }
}

const video = `document.getElementById('video')`
/** Waits for a condition from outside: the page's policy lets nothing evaluate text in it. */
async function until(page: Page, condition: string): Promise<void> {
  const deadline = Date.now() + 120_000
  while (!(await page.evaluate(condition))) {
    if (Date.now() > deadline) throw new Error(`the page must reach ${condition}`)
    await sleep(50)
  }
}
const keep = async (page: Page, name: string) => {
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}
const fits = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth')
test.serial('a film plays while it renders, sought in, to its end', async (t) => {
  const begun = performance.now()
  const seconds = () => (performance.now() - begun) / 1000
  const id = await farm.submit(film('A film that plays'))
  const rendered = farm.waitFor(id, (job) => job.state === 'completed').then(seconds)
  const { page, state, faults } = await open(id, 'desktop', 'light')
  await page.evaluate('window.isFirstLoad = true')
  await until(page, `${video}.currentTime > 0 && ${video}.readyState >= 2`)
  const first = await state()
  t.not(first.state, 'completed')
  const late = first.pieces.findLast(({ isThere }) => !isThere)?.start ?? 0
  t.true(late > filmSeconds / 2)
  await until(page, `${video}.currentTime >= 1`)
  const firstSecond = seconds()
  t.is(await page.locator('#name').textContent(), 'A film that plays')

  await page.evaluate(`${video}.currentTime = ${late}`)
  await until(page, `document.querySelector('#pieces .waited') !== null`)
  await keep(page, 'desktop-waits')
  await until(page, `${video}.currentTime > ${late + 0.3} && ${video}.readyState >= 3`)
  let sought = await state()
  // The state is as old as a second.
  while (!sought.pieces.find(({ start }) => start === late)?.isThere) {
    await sleep(100)
    sought = await state()
  }
  t.is(sought.state, 'rendering')
  // Its neighbour would come first, if nobody waited.
  const neighbour = sought.pieces.findLast(({ start }) => start < late)
  t.is(neighbour?.isThere, false)
  await keep(page, 'desktop-plays')
  t.is(await fits(page), true)

  await page.evaluate(`${video}.currentTime = ${late - 20}`)
  await until(page, `document.getElementById('status').textContent === 'The film is complete.'`)
  const share = firstSecond / (await rendered)
  t.log(`the first second was played after ${Math.round(share * 100)} % of the render`)
  t.true(share < 0.4, `${share}`)
  await until(page, `${video}.currentTime > ${late - 18}`)
  await page.evaluate(`${video}.currentTime = ${filmSeconds - 1.5}`)
  // It pauses at its end, which it may have reached before a slow render was complete.
  await page.evaluate(`${video}.play().then(() => undefined)`)
  await until(page, `${video}.ended`)
  t.true(Math.abs(Number(await page.evaluate(`${video}.duration`)) - filmSeconds) < 0.1)
  t.true(await page.evaluate('window.isFirstLoad'))
  t.is(await page.locator('#pieces .absent').count(), 0)
  t.false(await page.locator('#parts').isVisible(), 'nothing is left to tell apart')
  await keep(page, 'desktop-complete')
  await page.setViewportSize(sizes.phone)
  t.is(await fits(page), true)
  await keep(page, 'phone-complete')
  t.deepEqual(faults, [])
})

test.serial('the page fits a phone and obeys the keyboard', async (t) => {
  const id = await farm.submit(film('On a phone'))
  const { page, faults } = await open(id, 'phone', 'dark')
  await until(page, `${video}.currentTime > 0 && ${video}.readyState >= 2`)
  t.is(await page.evaluate(`Math.round(${video}.duration)`), filmSeconds)
  await keep(page, 'phone-plays')
  t.is(await fits(page), true)
  await page.keyboard.press('Space')
  await until(page, `${video}.paused`)
  await page.keyboard.press('ArrowRight')
  await until(page, `${video}.currentTime > 5`)
  await page.keyboard.press('Space')
  await until(page, `!${video}.paused`)
  await page.keyboard.press('Home')
  await until(page, `${video}.currentTime < 5`)
  const { width = 0, x = 0, y = 0 } = (await page.locator('#pieces').boundingBox()) ?? {}
  await page.mouse.click(x + width / 2, y + 5)
  await until(page, `Math.abs(${video}.currentTime - ${filmSeconds / 2}) < 2`)
  t.deepEqual(faults, [])

  await farm.call('POST', `/api/jobs/${id}/cancel`)
  await page.getByText('The film was not rendered, because its job was cancelled.').waitFor()
  t.false(await page.locator('#film').isVisible())
  await keep(page, 'phone-cancelled')
  await page.setViewportSize(sizes.desktop)
  await keep(page, 'desktop-cancelled')
})

test.serial('a browser that cannot decode the film says so', async (t) => {
  const id = await farm.submit(film('Undecodable'))
  const script = `MediaSource.prototype.addSourceBuffer = () => {
    throw new DOMException('no such codec', 'NotSupportedError')
  }`
  const { page } = await open(id, 'phone', 'light', script)
  await page.getByText('This browser cannot play the film.').waitFor()
  t.false(await page.locator('#film').isVisible())
  await farm.call('POST', `/api/jobs/${id}/cancel`)
})

test.serial('a changed address is told in a sentence', async (t) => {
  const page = await browser.newPage({ viewport: sizes.phone })
  const job = '00000000-0000-4000-8000-000000000000'
  const reply = await page.goto(`${farm.url}/watch/${job}/1-${'0'.repeat(32)}`)
  t.is(reply?.status(), 403)
  await page.getByText('This address has expired or was changed.').waitFor()
  await keep(page, 'phone-expired')
  await page.setViewportSize(sizes.desktop)
  await keep(page, 'desktop-expired')
})
