import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createRandom } from '../chaos/random.ts'
import { mediaHostOf } from './playback-media.ts'
import { fetchPart, fetchTrack, framesOf, partsOf, soundsAlike } from './played.ts'
import { processesOf, startFarm } from './running-farm.ts'

/** `FARM_TEST_SEED` repeats a run. */
const seed = Number(process.env.FARM_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32))

const media = await mediaHostOf()
const farm = await startFarm({ workers: 3, env: { FARM_TRUSTED_HOSTS: media.host } })
test.after.always(async () => {
  await farm.stop()
  await media.close()
})

/** Scenes of moving text, with music: many segments, and both tracks. */
function filmOf(name: string, { scenes = 6 } = {}) {
  const moving = { enterEnd: 3, enterAnimation: 'slideleft', position: 'center-center' }
  return {
    name,
    width: 640,
    height: 360,
    audios: [{ src: media.music }],
    scenes: Array.from({ length: scenes }, (_, n) => ({
      id: `s${n}`,
      duration: 3,
      backgroundColor: `#${100_000 + n * 9_000}`,
      visuals: [{ type: 'TEXT', html: `<b>${name} ${n}</b>`, ...moving }],
    })),
  }
}

/** Submits a film and waits for its playlist. */
async function planned(film: object) {
  const id = await farm.submit(film)
  const { playlistUrl } = await farm.waitFor(id, (job) => job.playlistUrl !== null)
  return { id, playlist: String(playlistUrl) }
}

/** Reads a list that must be there at once. */
async function listOf(playlist: string, name: string): Promise<string> {
  const reply = await fetch(new URL(name, playlist))
  if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`)
  return await reply.text()
}

async function fileOf(id: string): Promise<Buffer> {
  const { url } = await farm.waitFor(id, ({ state }) => state === 'completed')
  return Buffer.from(await (await fetch(String(url))).arrayBuffer())
}

test.serial('a film plays while it renders, as its file afterwards', async (t) => {
  const { id, playlist } = await planned(filmOf('played'))
  t.not((await farm.job(id)).state, 'completed')
  const [pictures, sound] = await Promise.all([
    fetchTrack(playlist, 'pictures'),
    fetchTrack(playlist, 'sound'),
  ])
  const file = await fileOf(id)
  t.deepEqual(await framesOf(pictures), await framesOf(file))
  t.true(await soundsAlike(sound, file))
  const again = [await fetchTrack(playlist, 'pictures'), await fetchTrack(playlist, 'sound')]
  t.true(pictures.equals(again[0] ?? sound), 'the same bytes from memory')
  t.true(sound.equals(again[1] ?? pictures))
})

test.serial('a mov film plays as its file, pictures and sound', async (t) => {
  const { id, playlist } = await planned({ ...filmOf('mov', { scenes: 2 }), outputFormat: 'mov' })
  const [pictures, sound] = [
    await fetchTrack(playlist, 'pictures'),
    await fetchTrack(playlist, 'sound'),
  ]
  const file = await fileOf(id)
  t.is(file.toString('latin1', 8, 12), 'qt  ')
  t.deepEqual(await framesOf(pictures), await framesOf(file))
  t.true(await soundsAlike(sound, file))
})

test.serial('pieces of a finished file are those of its segments', async (t) => {
  const film = filmOf('copied')
  const first = await planned(film)
  const live = await fetchTrack(first.playlist, 'pictures')
  await fileOf(first.id)
  // The same film again is taken from the store, so its pieces are cut out of the file alone.
  const second = await planned(film)
  await fileOf(second.id)
  t.true(live.equals(await fetchTrack(second.playlist, 'pictures')))
})

test.serial('seeking renders that part next, though a node is killed', async (t) => {
  const { id, playlist } = await planned(filmOf('sought', { scenes: 60 }))
  const names = await partsOf(playlist, 'pictures')
  const heard = await partsOf(playlist, 'sound')
  const last = names.at(-1) ?? ''
  const sought = await fetchPart(playlist, last)
  const { frames } = await farm.job(id)
  t.true(frames.done < frames.total * 0.7, `${frames.done} of ${frames.total}`)
  const [node] = await processesOf(farm, 'main.ts worker')
  if (node === undefined) throw new Error('The farm must have a node')
  process.kill(node, 'SIGKILL')
  t.log(`FARM_TEST_SEED=${seed}`)
  const parts = new Map([[last, sought]])
  for (const name of createRandom(seed).shuffled([...names, ...heard])) {
    if (!parts.has(name)) parts.set(name, await fetchPart(playlist, name))
  }
  const whole = (track: readonly string[]) =>
    Buffer.concat(track.map((name) => parts.get(name) ?? Buffer.alloc(0)))
  const file = await fileOf(id)
  t.deepEqual(await framesOf(whole(names)), await framesOf(file))
  t.is(heard.length, names.length, 'a piece of sound for each of pictures')
  t.true(await soundsAlike(whole(heard), file))
  t.is((await farm.job(id)).creditsCharged, 180, 'once, and no more for being watched')
})

/** Stops the farm's nodes until the returned function is called, or the test ends. */
async function holdNodes(t: ExecutionContext): Promise<() => void> {
  const nodes = await processesOf(farm, 'main.ts worker')
  t.true(nodes.length > 0)
  for (const node of nodes) signal(node, 'SIGSTOP')
  const goOn = () => {
    for (const node of nodes) signal(node, 'SIGCONT')
  }
  t.teardown(goOn)
  return goOn
}

/** Signals a process, if there still is one: a node's child has the node's command line until it is a program. */
function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

test.serial('a part that another job renders comes forward for its player', async (t) => {
  const film = { ...filmOf('lent', { scenes: 60 }), audios: [] }
  const lender = await planned(film)
  // Planning the second film may take a busy machine as long as rendering the first.
  const goOn = await holdNodes(t)
  // Its words are painted already, so nothing of it waits before it is planned.
  const ending = { ...film.scenes[0], id: 'end', backgroundColor: '#204060' }
  const watched = await planned({ ...film, name: 'borrowed', scenes: [...film.scenes, ending] })
  const names = await partsOf(watched.playlist, 'pictures')
  // The last parts alone are this film's own.
  const name = names.at(-4) ?? ''
  const asked = fetchPart(watched.playlist, name)
  goOn()
  const sought = await asked
  const { frames } = await farm.job(lender.id)
  t.true(frames.done < frames.total * 0.7, `${frames.done} of ${frames.total}`)
  const { frames: own } = await farm.job(watched.id)
  t.true(own.reused >= frames.total * 0.9, 'it renders little itself')
  const file = await fileOf(watched.id)
  const whole = await fetchTrack(watched.playlist, 'pictures')
  t.true(whole.includes(sought))
  t.deepEqual(await framesOf(whole), await framesOf(file))
})

test.serial('a small film has its whole list before a node has begun', async (t) => {
  const goOn = await holdNodes(t)
  const { scenes, ...rest } = { ...filmOf('small', { scenes: 1 }), audios: [] }
  const { id, playlist } = await planned({ ...rest, scenes })
  t.regex(await listOf(playlist, 'film.m3u8'), /^#EXTM3U/)
  const list = await listOf(playlist, 'pictures.m3u8')
  t.regex(list, /#EXTINF:3\.000000,\npictures-0\.m4s\n#EXT-X-ENDLIST/)
  const state = async () => JSON.parse(await listOf(playlist, 'state.json'))
  t.deepEqual((await state()).pieces, [{ start: 0, seconds: 3, isThere: false }])
  const { state: now, playlistUrl } = await farm.job(id)
  // Its grant is of the second in which it was read.
  t.deepEqual([now, playlistUrl?.split('/')[4]], ['rendering', playlist.split('/')[4]])
  const film = fetchTrack(playlist, 'pictures')
  goOn()
  const file = await fileOf(id)
  t.deepEqual(await framesOf(await film), await framesOf(file))
  t.is(await listOf(playlist, 'pictures.m3u8'), list, 'and keeps it')
  // The answer is a second old at most.
  while (!(await state()).pieces[0].isThere) await sleep(100)
  t.is((await state()).problem, null)
})

test.serial('a hundred players of a film cost one render', async (t) => {
  const { id, playlist } = await planned(filmOf('crowd', { scenes: 8 }))
  const names = await partsOf(playlist, 'pictures')
  const players = Array.from({ length: 100 }, () => fetchPart(playlist, names.at(-1) ?? ''))
  const [first, ...others] = await Promise.all(players)
  t.true(others.every((bytes) => first?.equals(bytes)))
  await fileOf(id)
  const { frames, creditsCharged } = await farm.job(id)
  t.is(frames.done, frames.total)
  t.is(creditsCharged, 24)
  const { body } = await farm.call('GET', `/api/jobs/${id}/timeline`)
  const { tasks, attempts } = body as { tasks: readonly object[]; attempts: readonly Attempt[] }
  const ended = (state: string) => attempts.filter((each) => each.state === state)
  t.is(ended('completed').length, tasks.length)
  // The twin of a straggler is no cost of players.
  t.is(attempts.length, tasks.length + ended('superseded').length)
})

type Attempt = { readonly state: string }
