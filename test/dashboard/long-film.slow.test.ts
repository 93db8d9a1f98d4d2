import test from 'ava'
import type { Browser, Page } from 'playwright-core'
import { build } from 'vite'
import { createFarmClient } from '../../client/farm-client.ts'
import { startFarm } from '../farm/running-farm.ts'
import { openBrowser, until } from './open-browser.ts'

/** The player's memory: what lies far behind the playhead is forgotten, and fetched again when it is sought. */

const farm = await startFarm({ workers: 1 })
let browser: Browser
test.before(async () => {
  browser = await openBrowser()
})
test.after.always(async () => {
  await browser?.close()
  await farm.stop()
})

const [scenes, sceneSeconds] = [40, 4]
const sampleRate = 8_000

/** Silence as a WAV file, as long as the film. */
function silence(): Blob {
  const bytes = scenes * sceneSeconds * sampleRate * 2
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + bytes, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(sampleRate, 24)
  head.writeUInt32LE(sampleRate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(bytes, 40)
  return new Blob([head, Buffer.alloc(bytes)])
}

/** Renders a film of still scenes, which costs little, with sound. */
async function renderLongFilm(): Promise<string> {
  const { uploads } = createFarmClient({ url: farm.url, apiKey: farm.apiKey })
  const { url } = await uploads.create(silence(), { name: 'silence.wav' })
  const id = await farm.submit({
    ...{ width: 160, height: 90, audios: [{ src: url }] },
    scenes: Array.from({ length: scenes }, (_, n) => ({
      ...{ id: `s${n}`, duration: sceneSeconds, backgroundColor: `#${100_000 + n * 9_000}` },
    })),
  })
  const { playlistUrl } = await farm.finished(id)
  if (playlistUrl === null) throw new Error('the film must have a playlist')
  return playlistUrl
}

/** Opens a page that has nothing but the player, at the farm's own address. */
async function openPlayer(playlistUrl: string): Promise<Page> {
  const entry = new URL('../../dashboard/src/player/buffered-film.ts', import.meta.url).pathname
  const lib = { entry, formats: ['es' as const], fileName: 'player' }
  const made = await build({ configFile: false, logLevel: 'silent', build: { write: false, lib } })
  const [
    {
      output: [chunk],
    } = { output: [] },
  ] = [made].flat() as { output: { code: string }[] }[]
  const page = await browser.newPage()
  const body = `<!doctype html><video muted></video>
    <script type="module">
      ${(chunk?.code ?? '').replace(/export\s*\{\s*(\w+) as playBuffered\s*\};?/, 'const playBuffered = $1;').replace(/export\s*\{\s*playBuffered\s*\};?/, '')}
      const video = document.querySelector('video')
      const onFault = (error) => { window.fault = error.message }
      playBuffered({ video, playlistUrl: ${JSON.stringify(playlistUrl)}, onFault })
    </script>`
  await page.route(`${farm.url}/player`, (route) =>
    route.fulfill({ contentType: 'text/html', body }),
  )
  await page.goto(`${farm.url}/player`)
  return page
}

const video = `document.querySelector('video')`
const has = (time: number) =>
  `Array.from({ length: ${video}.buffered.length }, (_, i) => i)
    .some((i) => ${video}.buffered.start(i) <= ${time} && ${video}.buffered.end(i) > ${time})`

test('a long film forgets its far past, and plays it when sought', async (t) => {
  const page = await openPlayer(await renderLongFilm())
  const asked: string[] = []
  page.on('request', (request) =>
    asked.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''),
  )
  await until(page, `${has(1)} && ${has(15)}`)
  asked.length = 0
  await page.evaluate(`${video}.currentTime = 120`)
  await until(page, `${has(121)} && !(${has(1)}) && !(${has(15)})`)
  t.deepEqual(
    asked.filter((name) => /-0\.m4s$/.test(name)),
    [],
  )
  await page.evaluate(`${video}.currentTime = 2`)
  await until(page, `${has(2)} && ${video}.readyState >= 3 && !${video}.seeking`)
  await page.evaluate(`${video}.play()`)
  await until(page, `${video}.currentTime > 3`)
  const again = asked.filter((name) => /-0\.m4s$/.test(name))
  t.deepEqual(again.toSorted(), ['pictures-0.m4s', 'sound-0.m4s'])
  t.is(await page.evaluate('window.fault'), undefined)
})
