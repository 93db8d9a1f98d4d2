import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { startMediaServer } from '../../cli/render/media-server.ts'
import { newFolder } from './run-farm.ts'

const folder = newFolder()
writeFileSync(join(folder, 'a photo.png'), 'pixels')
writeFileSync(join(folder, 'secret.txt'), 'secret')

test('an offered file is served with its length, on loopback', async (t) => {
  const server = await startMediaServer()
  t.teardown(() => server.close())
  const url = server.offer(join(folder, 'a photo.png'))
  t.true(url.startsWith(`http://${server.host}/`))
  t.regex(server.host, /^127\.0\.0\.1:\d+$/)
  const response = await fetch(url)
  t.is(response.headers.get('content-length'), '6')
  t.is(await response.text(), 'pixels')
})

test('a file is sent again only when it has changed', async (t) => {
  const server = await startMediaServer()
  t.teardown(() => server.close())
  const file = join(folder, 'changing.png')
  writeFileSync(file, 'first')
  const url = server.offer(file)
  const etag = (await fetch(url)).headers.get('etag') ?? ''
  const again = () => fetch(url, { headers: { 'if-none-match': etag } })
  const same = await again()
  t.is(same.status, 304)
  t.is(await same.text(), '')
  writeFileSync(file, 'second')
  const other = await again()
  t.is(other.status, 200)
  t.is(await other.text(), 'second')
})

test('nothing else is served: no neighbour, parent, guess or other method', async (t) => {
  const server = await startMediaServer()
  t.teardown(() => server.close())
  const url = server.offer(join(folder, 'a photo.png'))
  const root = `http://${server.host}`
  for (const address of [
    ...[`${root}/`, `${root}/a%20photo.png`, `${root}${join(folder, 'secret.txt')}`],
    ...[url.replace('a%20photo.png', 'secret.txt'), `${url}/../secret.txt`, `${url}?x`],
  ]) {
    t.is((await fetch(address)).status, 404, address)
  }
  t.is((await fetch(url, { method: 'PUT', body: 'x' })).status, 404)
})

test('two offers have addresses that share nothing to guess from', async (t) => {
  const server = await startMediaServer()
  t.teardown(() => server.close())
  const file = join(folder, 'a photo.png')
  const keys = [server.offer(file), server.offer(file)].map((url) => url.split('/')[3])
  t.regex(keys[0] ?? '', /^[0-9a-f]{32}$/)
  t.not(keys[0], keys[1])
})
