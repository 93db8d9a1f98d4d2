import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import sharp from 'sharp'
import { type LocalMinio, startMinio } from '../../infra/local/minio.ts'
import { filmOf, mediaFiles } from './film.ts'
import { decodedDigests, type Farm, serveMedia, startFarm } from './running-farm.ts'

const media = await serveMedia(await mediaFiles())
const dataDir = await mkdtemp(join(tmpdir(), 'farm-minio-'))
let minio: LocalMinio | undefined
let farm: Farm
// Customers' address of the same store.
const proxy = createServer((socket) => {
  const { port, hostname } = new URL(minio?.url ?? '')
  const onward = connect(Number(port), hostname)
  socket.pipe(onward).pipe(socket)
  for (const each of [socket, onward]) each.on('error', () => each.destroy())
})
proxy.listen(0, '127.0.0.1')
await once(proxy, 'listening')
const outer = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`

test.before(async () => {
  minio = await startMinio({ dataDir })
  farm = await startFarm({
    workers: 2,
    env: { FARM_OBJECTS: minio.url, FARM_OBJECTS_PUBLIC: outer, FARM_TRUSTED_HOSTS: media.hosts },
  })
})
test.after.always(async () => {
  await farm?.stop()
  await minio?.stop()
  proxy.close()
  media.close()
  await rm(dataDir, { recursive: true, force: true })
})

test.serial('a film goes to the bucket, from where its URLs serve it', async (t) => {
  const { job, file } = await farm.render(filmOf(media.at, 'bucket'))
  for (const url of [job.url, job.thumbnailUrl]) t.is(new URL(url ?? '').origin, outer)
  t.is(job.result?.size, file.length)
  const pictures = (await decodedDigests(file)).split('\n').filter((line) => line.startsWith('0,'))
  t.is(pictures.length, 180)

  const part = await fetch(job.url ?? '', { headers: { range: 'bytes=4-7' } })
  t.is(part.status, 206)
  t.is(await part.text(), 'ftyp')

  const answer = await fetch(job.thumbnailUrl ?? '')
  t.is(answer.headers.get('content-type'), 'image/jpeg')
  const thumbnail = await sharp(Buffer.from(await answer.arrayBuffer())).stats()
  t.true(
    thumbnail.channels.some(({ stdev }) => stdev > 10),
    'the thumbnail shows something',
  )

  t.is((await fetch((job.url ?? '').replace('/output?', '/thumbnail?'))).status, 403)
})

test.serial('the same film again is the same bytes, with nothing rendered', async (t) => {
  const first = await farm.render(filmOf(media.at, 'again'))
  const second = await farm.render(filmOf(media.at, 'again'))
  t.is(second.job.frames.total, 180)
  t.is(second.job.frames.reused, 180)
  t.true(second.file.equals(first.file))
})

test.serial('a still goes there too', async (t) => {
  const visuals = [{ type: 'IMAGE', src: media.at('photo.png'), resize: 'cover' }]
  const { file } = await farm.render({ type: 'image', width: 320, height: 180, visuals })
  t.like(await sharp(file).metadata(), { format: 'png', width: 320, height: 180 })
})
