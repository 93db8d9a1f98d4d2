import test from 'ava'
import { filmOf, mediaFiles } from './film.ts'
import { decodedDigests, serveMedia, startFarm } from './running-farm.ts'

test('one worker with one shard and three workers with many give identical frames and sound', async (t) => {
  const media = await serveMedia(await mediaFiles())
  const env = { FARM_TRUSTED_HOSTS: media.hosts }
  // Large enough to be cut for every slot.
  const payload = { ...filmOf(media.at), width: 1280, height: 720 }
  const digests: string[] = []
  const films: Buffer[] = []
  for (const [workers, slots] of [
    [1, '1'],
    [3, '2'],
  ] as const) {
    const farm = await startFarm({ workers, env: { ...env, FARM_SLOTS: slots } })
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
  t.is(digests[0], digests[1])
  t.true(films[0]?.equals(films[1] ?? Buffer.alloc(0)))
})
