import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'
import { chromium } from 'playwright-core'
import { findChromium } from '../../worker/bake/browser.ts'
import { mediaHostOf } from './playback-media.ts'
import { fetchPart, framesOf, partsOf, samplesOf } from './played.ts'
import { startFarm } from './running-farm.ts'

/** Players that are not ours: they get the address of a film while it renders, and nothing else. */

const run = promisify(execFile)
const media = await mediaHostOf()
const farm = await startFarm({ workers: 1, env: { FARM_TRUSTED_HOSTS: media.host } })
test.after.always(async () => {
  await farm.stop()
  await media.close()
})

const [scenes, sceneSeconds] = [6, 2]
const filmSeconds = scenes * sceneSeconds

async function begun(name: string) {
  const moving = { enterEnd: sceneSeconds, enterAnimation: 'slideleft', position: 'center-center' }
  const id = await farm.submit({
    ...{ name, width: 640, height: 360, audios: [{ src: media.music }] },
    scenes: Array.from({ length: scenes }, (_, n) => ({
      ...{ id: `s${n}`, duration: sceneSeconds, backgroundColor: `#${100_000 + n * 9_000}` },
      visuals: [{ type: 'TEXT', html: `<b>${name} ${n}</b>`, ...moving }],
    })),
  })
  const { playlistUrl } = await farm.waitFor(id, (job) => job.playlistUrl !== null)
  return { id, playlist: String(playlistUrl) }
}

test.serial('ffmpeg plays the address as it plays the file', async (t) => {
  const { id, playlist } = await begun('ffmpeg')
  const read = async (args: readonly string[]) => {
    const all = ['-v', 'error', '-i', playlist, ...args, '-']
    return (await run('ffmpeg', all, { maxBuffer: 2 ** 29, encoding: 'buffer' })).stdout
  }
  const listed = await read(['-map', '0:v', '-vsync', 'passthrough', '-f', 'framemd5'])
  const samples = await read(['-map', '0:a', '-f', 's16le', '-ac', '2'])
  const { url } = await farm.finished(id)
  const file = Buffer.from(await (await fetch(String(url))).arrayBuffer())
  const frames = String(listed)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  t.deepEqual(
    frames.map((line) => line.split(',').at(-1)?.trim()),
    await framesOf(file),
  )
  const sound = await samplesOf(file)
  t.true(samples.includes(sound.subarray(0, sound.length)), 'all of the sound, sample for sample')
})

/** Runs in the page: appends all pieces, the last first, and returns what each buffer then has. */
const appendAll = `async ({ base, tracks }) => {
  const video = document.createElement('video')
  const source = new MediaSource()
  video.src = URL.createObjectURL(source)
  await new Promise((resolve) => source.addEventListener('sourceopen', resolve))
  const buffers = tracks.map(({ type }) => source.addSourceBuffer(type))
  for (const [i, { names: [init, ...pieces] }] of tracks.entries()) {
    for (const name of [init, ...pieces.reverse()]) {
      const bytes = await (await fetch(base + name)).arrayBuffer()
      await new Promise((resolve, reject) => {
        buffers[i].onupdateend = resolve
        buffers[i].onerror = reject
        buffers[i].appendBuffer(bytes)
      })
    }
  }
  const rangesOf = ({ buffered }) =>
    Array.from({ length: buffered.length }, (_, i) => [buffered.start(i), buffered.end(i)])
  return buffers.map(rangesOf)
}`

test.serial('MediaSource takes the pieces as they are, in any order', async (t) => {
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('this test needs Chromium')
  const { playlist } = await begun('media source')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  const page = await browser.newPage()
  const base = playlist.replace('film.m3u8', '')
  const list = String(await fetchPart(playlist, 'film.m3u8'))
  const [, picturesCodec, soundCodec] = /CODECS="([^",]+),([^",]+)"/.exec(list) ?? []
  const tracks = [
    { type: `video/mp4; codecs="${picturesCodec}"`, names: await partsOf(playlist, 'pictures') },
    { type: `audio/mp4; codecs="${soundCodec}"`, names: await partsOf(playlist, 'sound') },
  ]
  const buffered = (await page.evaluate(
    `(${appendAll})(${JSON.stringify({ base, tracks })})`,
  )) as readonly (readonly (readonly [number, number])[])[]
  // Both tracks begin a second late, by the same clock.
  const [pictures, sound] = buffered
  t.is(pictures?.length, 1, 'no gap')
  t.is(sound?.length, 1)
  const [from = 0, to = 0] = pictures?.[0] ?? []
  t.true(Math.abs(from - 1) < 0.05 && Math.abs(to - 1 - filmSeconds) < 0.05, `${from} .. ${to}`)
  const [heardFrom = 0, heardTo = 0] = sound?.[0] ?? []
  t.true(Math.abs(heardFrom - 1) < 0.05 && heardTo >= to - 0.05, `${heardFrom} .. ${heardTo}`)
})
