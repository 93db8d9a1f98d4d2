import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { FarmError } from '../../../core/errors.ts'
import { startMinio } from '../../../infra/local/minio.ts'
import { ObjectMissingError, type ObjectStore } from '../../../store/objects/object-store.ts'
import { openFileServer, openObjectStore, readObjectsUrl } from '../../../store/objects/open.ts'
import { silent } from '../database.ts'
import { listed } from './listed.ts'

const secret = 'a secret of the tests'
const home = mkdtempSync(join(tmpdir(), 'farm-objects-'))
const root = join(home, 'directory')

const minio = await startMinio({ dataDir: join(home, 'minio') })
const directoryUrl = pathToFileURL(root)
const fileServer = openFileServer(directoryUrl, { secret, log: silent })
const server = createServer((asked, answer) => void fileServer?.(asked, answer))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

// A bucket that does not exist yet, so that `prepare` has something to do.
const s3Url = readObjectsUrl({ FARM_OBJECTS: minio.url.replace('/farm?', '/farm-objects?') })
const stores: Record<string, ObjectStore> = {
  directory: openObjectStore(directoryUrl, { publicUrl, secret }),
  s3: openObjectStore(s3Url, { publicUrl, secret }),
}
for (const store of Object.values(stores)) {
  await store.prepare()
  await store.prepare()
}

test.after.always(async () => {
  server.close()
  await minio.stop()
  rmSync(home, { recursive: true, force: true })
})

for (const [name, store] of Object.entries(stores)) {
  const key = (last: string) => `accounts/${name}/${last}`

  test(`${name}: what is put is got back, from bytes, stream or file`, async (t) => {
    const big = Buffer.alloc(20_000_000, 'farm')
    const path = join(home, `${name}-file`)
    writeFileSync(path, big)
    await store.put(key('bytes'), Buffer.from('bytes'))
    await store.put(key('empty'), Buffer.alloc(0))
    await store.put(key('stream'), Readable.from([big.subarray(0, 9_000_000), big.subarray(9e6)]))
    await store.put(key('file'), { path })
    t.is((await store.read(key('bytes'))).toString(), 'bytes')
    t.is((await store.read(key('empty'))).length, 0)
    t.true(big.equals(await buffer(await store.get(key('stream')))))
    t.true(big.equals(await store.read(key('file'))))
  })

  test(`${name}: the last object put wins, with its own facts`, async (t) => {
    await store.put(key('twice'), Buffer.from('first'))
    await store.put(key('twice'), Buffer.from('second!'))
    t.is((await store.read(key('twice'))).toString(), 'second!')
    const facts = await store.stat(key('twice'))
    t.is(facts?.bytes, 7)
    t.true(facts?.modified instanceof Date)
  })

  test(`${name}: a list has every object once, folder by folder`, async (t) => {
    const put = [key('listed/b/2'), key('listed/a'), key('listed/b/1'), key('listed/b-c')]
    for (const each of put) await store.put(each, Buffer.from(each))
    const found = await listed(store.list(key('listed/')))
    t.deepEqual(found.map((object) => object.key).toSorted(), put.toSorted())
    const folders = found.map((object) => object.key.split('/')[3] ?? '')
    t.is(folders.lastIndexOf('b') - folders.indexOf('b'), 1, folders.join())
    for (const { key: of, bytes, modified } of found) {
      t.is(bytes, of.length)
      t.true(modified instanceof Date)
    }
    t.deepEqual(await listed(store.list(key('empty-folder/'))), [])
    await t.throwsAsync(listed(store.list('../')), { message: /A prefix must/ })
  })

  test(`${name}: what is not there is missing`, async (t) => {
    t.is(await store.stat(key('nothing')), undefined)
    await t.throwsAsync(store.get(key('nothing')), { instanceOf: ObjectMissingError })
    await t.throwsAsync(store.read(key('nothing')), { instanceOf: ObjectMissingError })
  })

  test(`${name}: a copy outlives changes and removal of its source`, async (t) => {
    await store.put(key('source'), Buffer.from('source'))
    await store.put(key('copy'), Buffer.from('what was there before'))
    await store.copy(key('source'), key('copy'))
    await store.copy(key('source'), key('copy'))
    await store.copy(key('source'), key('deep/er/copy'))
    await store.put(key('source'), Buffer.from('another'))
    t.is((await store.read(key('copy'))).toString(), 'source')
    await store.remove([key('source'), key('copy')])
    t.is((await store.read(key('deep/er/copy'))).toString(), 'source')
    const missing = store.copy(key('source'), key('copy'))
    await t.throwsAsync(missing, { instanceOf: ObjectMissingError })
    t.is(await store.stat(key('copy')), undefined)
  })

  test(`${name}: a stream that breaks leaves no object`, async (t) => {
    const broken = Readable.from(
      (async function* () {
        yield Buffer.alloc(100)
        throw new Error('the source broke')
      })(),
    )
    await t.throwsAsync(store.put(key('broken'), broken))
    t.is(await store.stat(key('broken')), undefined)
  })

  test(`${name}: removing takes the named objects, or all under a prefix`, async (t) => {
    for (const each of ['x/1', 'x/2/3', 'xy', 'z']) await store.put(key(each), Buffer.from('1'))
    await store.remove([key('z'), key('never-there')])
    t.is(await store.stat(key('z')), undefined)
    await store.removePrefix(key('x/'))
    t.is(await store.stat(key('x/1')), undefined)
    t.is(await store.stat(key('x/2/3')), undefined)
    t.is((await store.stat(key('xy')))?.bytes, 1)
    await store.removePrefix(key('x/'))
  })

  test(`${name}: keys that could climb or surprise are refused`, async (t) => {
    for (const bad of ['../x', 'a/../b', '/a', 'a//b', 'a/', '', '.hidden', 'a b', 'a\0b', 'ä']) {
      await t.throwsAsync(store.put(bad, Buffer.from('1')), { message: /An object key must/ }, bad)
      await t.throwsAsync(store.read(bad), undefined, bad)
      await t.throwsAsync(store.signPut(bad, { seconds: 9 }), undefined, bad)
    }
    for (const bad of ['accounts', '/', '', '../', 'a/../']) {
      await t.throwsAsync(store.removePrefix(bad), { message: /A prefix must/ }, bad)
    }
  })

  test(`${name}: a signed URL writes and reads exactly its object`, async (t) => {
    const body = Buffer.alloc(300_000, 'abc')
    const put = await store.signPut(key('signed'), { seconds: 60 })
    t.is((await fetch(put, { method: 'PUT', body })).status, 200)
    const get = await store.signGet(key('signed'), { seconds: 60 })
    const answer = await fetch(get)
    t.is(answer.status, 200)
    t.regex(answer.headers.get('content-type') ?? '', /^[a-z]+\/octet-stream$/)
    t.true(body.equals(Buffer.from(await answer.arrayBuffer())))
    t.is((await fetch(get.replace('/signed?', '/other?'))).status, 403)
    t.is((await fetch(get, { method: 'PUT', body: 'mine' })).status, 403)
    t.is((await fetch(put.replace('/signed?', '/other?'), { method: 'PUT', body })).status, 403)
    const missing = await store.signGet(key('missing'), { seconds: 60 })
    t.is((await fetch(missing)).status, 404)
  })

  test(`${name}: a signed URL gives the answer its name and type`, async (t) => {
    await store.put(key('film.mp4'), Buffer.from('film'))
    const url = await store.signGet(key('film.mp4'), {
      seconds: 60,
      filename: 'Ein "Film" für\r\nx: alle.mp4',
      contentType: 'video/mp4',
    })
    const answer = await fetch(url)
    t.is(answer.headers.get('content-type'), 'video/mp4')
    t.is(
      answer.headers.get('content-disposition'),
      `inline; filename="Ein _Film_ f_r__x_ alle.mp4"; filename*=UTF-8''Ein%20%22Film%22%20f%C3%BCr%0D%0Ax%3A%20alle.mp4`,
    )
    t.is((await fetch(url.replace('video', 'audio'))).status, 403)
  })

  test(`${name}: a signed URL for a download says so, and only then`, async (t) => {
    await store.put(key('saved.mp4'), Buffer.from('film'))
    const named = { seconds: 60, filename: 'film.mp4', contentType: 'video/mp4' }
    const shown = await store.signGet(key('saved.mp4'), named)
    const saved = await store.signGet(key('saved.mp4'), { ...named, isDownload: true })
    const dispositionOf = async (url: string) =>
      (await fetch(url)).headers.get('content-disposition')
    t.regex((await dispositionOf(shown)) ?? '', /^inline; filename="film\.mp4"/)
    t.regex((await dispositionOf(saved)) ?? '', /^attachment; filename="film\.mp4"/)
    const forged = shown.includes('inline')
      ? shown.replace('inline', 'attachment')
      : `${shown}&download=1`
    t.is((await fetch(forged)).status, 403)
  })

  test(`${name}: a part of an object can be read`, async (t) => {
    await store.put(key('range'), Buffer.from('0123456789'))
    const url = await store.signGet(key('range'), { seconds: 60 })
    const cases = [
      ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
      ['bytes=7-', 206, '789', 'bytes 7-9/10'],
      ['bytes=-2', 206, '89', 'bytes 8-9/10'],
      ['bytes=5-99', 206, '56789', 'bytes 5-9/10'],
    ] as const
    for (const [range, status, text, told] of cases) {
      const answer = await fetch(url, { headers: { range } })
      t.is(answer.status, status, range)
      t.is(await answer.text(), text)
      t.is(answer.headers.get('content-range'), told)
    }
    t.is((await fetch(url, { headers: { range: 'bytes=10-' } })).status, 416)
    t.is((await fetch(url)).headers.get('accept-ranges'), 'bytes')
  })
}

test('directory: a URL works until its time is over', async (t) => {
  const { directory } = stores as { directory: ObjectStore }
  await directory.put('a/b', Buffer.from('1'))
  const url = await directory.signGet('a/b', { seconds: -2 })
  t.is((await fetch(url)).status, 403)
  const later = url.replace(/expires=(\d+)/, (_, time) => `expires=${Number(time) + 100}`)
  t.is((await fetch(later)).status, 403)
})

test('directory: HEAD tells the size, and nothing is served that could run', async (t) => {
  const { directory } = stores as { directory: ObjectStore }
  await directory.put('a/page', Buffer.from('<script>1</script>'))
  const url = await directory.signGet('a/page', { seconds: 60, contentType: 'text/html' })
  const answer = await fetch(url, { method: 'HEAD' })
  t.is(answer.status, 200)
  t.is(answer.headers.get('content-length'), '18')
  t.is(await answer.text(), '')
  t.regex(answer.headers.get('content-security-policy') ?? '', /sandbox/)
  // A browser shows a film in a page of its own, which loads it from no origin.
  t.regex(answer.headers.get('content-security-policy') ?? '', /media-src 'self'/)
  t.is(answer.headers.get('access-control-allow-origin'), '*')
  t.is(answer.headers.get('x-content-type-options'), 'nosniff')
  t.is((await fetch(url, { headers: { range: 'bytes=0-1,4-5' } })).status, 200)
  const changed = { range: 'bytes=0-1', 'if-range': '"another"' }
  t.is((await fetch(url, { headers: changed })).status, 200)
})

test('directory: an upload that is too large or breaks off leaves nothing', async (t) => {
  const { directory } = stores as { directory: ObjectStore }
  const url = await directory.signPut('a/upload', { seconds: 60 })
  const large = request(url, { method: 'PUT', headers: { 'content-length': 9_000_000_000 } })
  large.flushHeaders()
  const [answer] = await once(large, 'response')
  t.is(answer.statusCode, 413)
  large.on('error', () => undefined).destroy()
  const cutOff = (bytes: number) => {
    const cut = request(url, { method: 'PUT', headers: { 'content-length': bytes } })
    cut.on('error', () => undefined)
    cut.write('half')
    return cut
  }
  const small = cutOff(1_000)
  await once(small, 'socket')
  small.destroy()
  const cut = cutOff(2_000_000)
  const writing = join(root, 'writing')
  while (readdirSync(writing).length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  cut.destroy()
  while (readdirSync(writing).length > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  t.is(await directory.stat('a/upload'), undefined)
})

test('directory: an upload is stored, buffered or streamed', async (t) => {
  const { directory } = stores as { directory: ObjectStore }
  for (const bytes of [0, 1, 900_000, 3_000_000]) {
    const body = Buffer.alloc(bytes, 'upload')
    const key = `a/upload-${bytes}`
    const url = await directory.signPut(key, { seconds: 60 })
    t.is((await fetch(url, { method: 'PUT', body })).status, 200)
    t.true(body.equals(await directory.read(key)))
    const inChunks = { method: 'PUT', body: new Blob([body]).stream(), duplex: 'half' as const }
    t.is((await fetch(url, inChunks)).status, 200)
    t.true(body.equals(await directory.read(key)))
  }
})

test('a store that is away is reported as unavailable', async (t) => {
  const url = new URL('s3://key:secret@127.0.0.1:9/bucket?ssl=0')
  const store = openObjectStore(url, { publicUrl, secret })
  const error = await t.throwsAsync(store.read('a/b'), { instanceOf: FarmError })
  t.is((error as FarmError).code, 'store_unavailable')
  t.regex(await store.signGet('a/b', { seconds: 9 }), /^http:\/\/127\.0\.0\.1:9\/bucket\/a\/b\?/)
})

test('FARM_OBJECTS must name a directory or bucket; its secret is not repeated', (t) => {
  for (const FARM_OBJECTS of [
    '',
    'no',
    'http://x/y',
    's3://hush@host/bucket',
    's3://a:hush@host/',
  ]) {
    const error = t.throws(() => readObjectsUrl({ FARM_OBJECTS }), { name: 'EnvError' })
    t.false(error?.message.includes('hush'))
  }
})
