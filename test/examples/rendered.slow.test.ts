import test from 'ava'
import { codecOf, hasSoundTrack } from '../../api/playback/cut-pieces.ts'
import { openSmallMp4 } from '../../api/playback/mp4-file.ts'
import { findLocalMedia, pointTo } from '../../cli/render/local-media.ts'
import { startMediaServer } from '../../cli/render/media-server.ts'
import { readProjectFile } from '../../cli/render/project-file.ts'
import { fetchPart, fetchTrack, framesOf, soundsAlike } from '../farm/played.ts'
import { decodedDigests, startFarm } from '../farm/running-farm.ts'
import { examples } from './example-files.ts'

type Played = { readonly list: string; readonly pictures: Buffer; readonly sound: Buffer }

type Rendered = {
  readonly file: Buffer
  readonly isFilm: boolean
  /** What a player got while it rendered; absent for a film without a playlist. */
  readonly played?: Played
}

/** Renders every example on a farm with these workers and slots. */
async function renderAll({ workers, slots }: { workers: number; slots: string }) {
  const media = await startMediaServer()
  const env = { FARM_TRUSTED_HOSTS: media.host, FARM_SLOTS: slots }
  const farm = await startFarm({ workers, env })
  try {
    const rendered = new Map<string, Rendered>()
    for (const { name, file: path, variables } of examples) {
      const request = readProjectFile(path, variables)
      const found = findLocalMedia(request, path)
      const pointed = pointTo(request, found, (each) => media.offer(each.file))
      const id = await farm.submit(pointed.payload, pointed.variables)
      const { playlistUrl } = await farm.waitFor(id, (job) => {
        return job.playlistUrl !== null || job.noPlaylistReason !== null
      })
      const played = playlistUrl === null ? undefined : await playedBy(playlistUrl)
      const { url } = await farm.finished(id)
      const file = Buffer.from(await (await fetch(String(url))).arrayBuffer())
      const isFilm = pointed.payload.type !== 'image'
      rendered.set(name, { file, isFilm, ...(played && { played }) })
    }
    return rendered
  } finally {
    await farm.stop()
    media.close()
  }
}

async function playedBy(playlistUrl: string): Promise<Played> {
  const [list, pictures, sound] = await Promise.all([
    fetchPart(playlistUrl, 'film.m3u8'),
    fetchTrack(playlistUrl, 'pictures'),
    fetchTrack(playlistUrl, 'sound'),
  ])
  return { list: String(list), pictures, sound }
}

const isMp4 = (file: Buffer) => file.toString('latin1', 4, 8) === 'ftyp'
const mp4Of = async (bytes: Buffer) => await openSmallMp4({ read: async () => bytes }, 'film')
const codecIn = async (film: Buffer) => codecOf(await mp4Of(film))

test('every example is the same with one shard, many, and played', async (t) => {
  t.timeout(30 * 60_000)
  const alone = await renderAll({ workers: 1, slots: '1' })
  const shared = await renderAll({ workers: 3, slots: '2' })
  t.is(alone.size, examples.length)
  for (const [name, { file, isFilm }] of alone) {
    const other = shared.get(name)?.file ?? Buffer.alloc(0)
    if (isFilm) t.is(await decodedDigests(file), await decodedDigests(other), name)
    t.true(file.equals(other), name)
    for (const played of [alone.get(name)?.played, shared.get(name)?.played]) {
      t.is(played !== undefined, isMp4(file), `${name} is played`)
      if (!played) continue
      t.deepEqual(await framesOf(played.pictures), await framesOf(file), name)
      const codec = await codecIn(played.pictures)
      const hasSound = hasSoundTrack(await mp4Of(file))
      // A list that names no sound would leave it out unheard.
      t.is(played.sound.length > 0, hasSound, name)
      t.true(played.list.includes(`CODECS="${codec}${hasSound ? ',mp4a.40.2' : ''}"`), name)
      if (hasSound) t.true(await soundsAlike(played.sound, file), name)
    }
  }
})
