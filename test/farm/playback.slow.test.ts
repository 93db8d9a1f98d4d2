import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import test from 'ava'
import { mediaHostOf } from './playback-media.ts'
import { startFarm } from './running-farm.ts'

const run = promisify(execFile)

const media = await mediaHostOf()
const farm = await startFarm({ workers: 1, env: { FARM_TRUSTED_HOSTS: media.host } })
test.after.always(async () => {
  await farm.stop()
  await media.close()
})

/** Scenes of moving text and one of a clip, with music: many segments, and both tracks. */
function filmOf(name: string, { seconds = 3, scenes = 6, more = {} } = {}) {
  const moving = { enterEnd: seconds, enterAnimation: 'slideleft', position: 'center-center' }
  return {
    name,
    width: 640,
    height: 360,
    scenes: Array.from({ length: scenes }, (_, n) => ({
      id: `s${n}`,
      duration: seconds,
      backgroundColor: `#${100_000 + n * 25_000}`,
      visuals: [{ type: 'TEXT', html: `<b>${name} ${n}</b>`, ...moving }],
    })),
    ...more,
  }
}

/** Pictures of a file or a playlist, decoded: a hash for each frame. */
async function framesOf(source: string): Promise<string[]> {
  const args = [
    '-v',
    'error',
    '-i',
    source,
    '-map',
    '0:v',
    '-vsync',
    'passthrough',
    '-f',
    'framemd5',
    '-',
  ]
  const { stdout } = await run('ffmpeg', args, { maxBuffer: 2 ** 28 })
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(',').at(-1)?.trim() ?? '')
}

/** Sound, decoded, as samples of 16 bits in two channels. */
async function soundOf(source: string): Promise<Buffer> {
  const args = ['-v', 'error', '-i', source, '-map', '0:a', '-f', 's16le', '-ac', '2', '-']
  const { stdout } = await run('ffmpeg', args, { maxBuffer: 2 ** 28, encoding: 'buffer' })
  return stdout
}

/** Packets that a decoder needs before the film begins: 1024 samples of two channels. */
const priming = 1_024 * 4

async function playlistOf(id: string): Promise<string> {
  const job = await farm.waitFor(id, ({ playlistUrl, state }) => {
    return playlistUrl !== null || state === 'failed'
  })
  return String(job.playlistUrl)
}

test.serial('a film plays while it renders, frame for frame as its file', async (t) => {
  const sounds = { audios: [{ src: media.music }] }
  const id = await farm.submit(filmOf('played', { more: sounds }))
  const playlist = await playlistOf(id)
  t.not((await farm.job(id)).state, 'completed')
  const live = await framesOf(playlist)
  const heard = await soundOf(playlist)
  const job = await farm.waitFor(id, ({ state }) => state === 'completed' || state === 'failed')
  t.is(job.state, 'completed')
  const file = String(job.url)
  t.is(live.length, job.frames.total)
  t.deepEqual(live, await framesOf(file))
  const sound = await soundOf(file)
  t.true(heard.subarray(priming, priming + sound.length).equals(sound))
  t.deepEqual(await framesOf(playlist), live, 'and from the finished file')
  const again = await soundOf(playlist)
  t.is(hash(again), hash(heard))
})

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
