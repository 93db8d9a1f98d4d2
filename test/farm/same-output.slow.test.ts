import { dirname } from 'node:path'
import test from 'ava'
import { onPath } from '../../infra/setup/cache.mjs'
import { filmOf, mediaFiles } from './film.ts'
import { decodedDigests, serveMedia, startFarm } from './running-farm.ts'

/** Folder of the ffmpeg that films are made with until the farm's own is built (decision 0096). */
const system = dirname(onPath('ffmpeg') ?? '')

test('one worker or three, and either ffmpeg, give identical frames and sound', async (t) => {
  const media = await serveMedia(await mediaFiles())
  const env = { FARM_TRUSTED_HOSTS: media.hosts }
  // Large enough to be cut for every slot.
  const payload = { ...filmOf(media.at), width: 1280, height: 720 }
  const digests: string[] = []
  const films: Buffer[] = []
  const runs: readonly (readonly [number, Record<string, string>])[] = [
    [1, { FARM_SLOTS: '1' }],
    [3, { FARM_SLOTS: '2' }],
    [1, { FARM_SLOTS: '2', FARM_FFMPEG: system }],
  ]
  for (const [workers, settings] of runs) {
    const farm = await startFarm({ workers, env: { ...env, ...settings } })
    try {
      const { job, file } = await farm.render(payload)
      t.is(job.creditsCharged, job.creditsReserved)
      films.push(file)
      digests.push(await decodedDigests(file))
    } finally {
      await farm.stop()
    }
  }
  media.close()
  t.true((digests[0]?.split('\n').length ?? 0) > 240)
  t.is(new Set(digests).size, 1)
  for (const film of films) t.true(film.equals(films[0] ?? Buffer.alloc(0)))
})
