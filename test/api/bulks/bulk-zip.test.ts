import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { sql } from 'kysely'
import yauzl from 'yauzl'
import { zipFiles } from '../../../api/bulks/bulk-zip.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { forWhom, submitBulk } from './submitted-bulk.ts'

let gateway: Gateway
let address: string
let folder: string

test.before(async () => {
  gateway = await startGateway()
  address = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
})
test.after.always(async () => {
  await gateway?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Ends a job with a file of these bytes. `size`: as the job says. */
async function complete(accountId: string, jobId: string, body: Buffer, size = body.length) {
  const outputKey = `accounts/${accountId}/jobs/${jobId}/output`
  await gateway.objects.put(outputKey, body)
  await gateway.db.updateTable('jobs').set({ state: 'rendering' }).where('id', '=', jobId).execute()
  await settleJob(gateway.db, {
    ...{ accountId, jobId, reason: 'test' },
    settlement: {
      to: 'completed',
      result: { duration: 2, size, width: 320, height: 180, format: 'mp4' },
      ...{ outputKey, thumbnailKey: null },
      links: { url: 'https://example.com/o', thumbnailUrl: null },
    },
  })
  return outputKey
}

/** Reads a ZIP by a library of its own: names with their contents, each checked by its CRC. */
async function unzip(file: string): Promise<Map<string, Buffer>> {
  const zip = await promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)(file, {
    lazyEntries: true,
  })
  const files = new Map<string, Buffer>()
  zip.on('entry', async (entry: yauzl.Entry) => {
    const stream = await promisify<yauzl.Entry, Readable>(zip.openReadStream.bind(zip))(entry)
    files.set(entry.fileName, await buffer(stream))
    zip.readEntry()
  })
  zip.readEntry()
  await once(zip, 'end')
  return files
}

async function download(zipUrl: string): Promise<IncomingMessage> {
  const { pathname } = new URL(zipUrl)
  const [response] = await once(httpGet(`${address}${pathname}`), 'response')
  return response as IncomingMessage
}

const zipUrlOf = async ({
  get,
  bulkId,
}: Pick<Awaited<ReturnType<typeof submitBulk>>, 'get' | 'bulkId'>) =>
  (await get(`/api/render/bulk/${bulkId}`)).json().zipUrl

test('a bulk’s files come as a ZIP, stored, named by row', async (t) => {
  const names = [
    'Ada',
    'Zoë / Müller',
    '../../etc',
    ...Array.from({ length: 8 }, (_, i) => `n${i}`),
  ]
  const bulk = await submitBulk(gateway, 1000, forWhom(...names))
  t.is(await zipUrlOf(bulk), null)
  const bodies = [0, 1, 2, 10].map((at) => ({ at, body: randomBytes(100_000 + at) }))
  for (const { at, body } of bodies) await complete(bulk.accountId, bulk.jobIds[at] ?? '', body)
  const zipUrl = await zipUrlOf(bulk)
  t.regex(
    zipUrl,
    /^https:\/\/farm\.example\.com\/download\/blk_\w{20}\/\d+-[0-9a-f]{32}\/files\.zip$/,
  )
  const response = await download(zipUrl)
  t.is(response.statusCode, 200)
  t.like(response.headers, { 'content-type': 'application/zip', 'cache-control': 'no-store' })
  t.regex(String(response.headers['content-disposition']), /^attachment; filename="party\.zip"/)
  const file = join(folder, 'named.zip')
  await pipeline(response, createWriteStream(file))
  const bytes = await readFile(file)
  t.is(bytes.length, Number(response.headers['content-length']))
  const files = await unzip(file)
  t.deepEqual([...files.keys()], ['01-Ada.mp4', '02-Zoë-Müller.mp4', '03-etc.mp4', '11-n7.mp4'])
  for (const [i, content] of [...files.values()].entries()) {
    t.deepEqual(content, bodies[i]?.body)
    t.true(bytes.includes(content), 'stored as it is')
  }
})

test('a missing, short or long file breaks the ZIP off', async (t) => {
  for (const size of [undefined, 50_001, 49_999]) {
    const bulk = await submitBulk(gateway, 1000, forWhom('Ada', 'Bob'))
    await complete(bulk.accountId, bulk.jobIds[0] ?? '', randomBytes(1_000))
    const key = await complete(bulk.accountId, bulk.jobIds[1] ?? '', randomBytes(50_000), size)
    if (size === undefined) await gateway.objects.remove([key])
    const response = await download(await zipUrlOf(bulk))
    const failed = await buffer(response).then(
      () => undefined,
      (error: Error) => error,
    )
    t.truthy(failed, `size ${size}`)
    t.false(response.complete)
  }
})

test('a reader that does not read holds nothing in memory', async (t) => {
  const fileBytes = 64 * 1024 * 1024
  const chunk = Buffer.alloc(64 * 1024)
  let read = 0
  let closed = 0
  const openFile = async () =>
    Readable.from(
      (function* () {
        for (let at = 0; at < fileBytes; at += chunk.length) {
          read += chunk.length
          yield chunk
        }
      })(),
      { objectMode: false },
    ).once('close', () => {
      closed += 1
    })
  const modified = new Date()
  const files = ['a', 'b'].map((name) => ({ name, key: name, bytes: fileBytes, modified }))
  const { stream, bytes } = zipFiles(files, openFile)
  t.true(bytes > 2 * fileBytes)
  await once(stream, 'readable')
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate)
  t.true(read < 4 * 1024 * 1024, `${read} bytes are read ahead`)
  stream.destroy()
  await once(stream, 'close')
  await new Promise(setImmediate)
  t.is(closed, 1, 'the open file is closed with its reader')
})

test('the address is for one bulk, and ends with its account', async (t) => {
  const bulk = await submitBulk(gateway)
  await complete(bulk.accountId, bulk.jobIds[0] ?? '', Buffer.from('film'))
  const { pathname } = new URL(await zipUrlOf(bulk))
  const ask = async (url: string) => await gateway.server.inject({ method: 'GET', url })
  t.is((await ask(pathname)).statusCode, 200)
  t.is((await ask(pathname.replace(/.{4}\/files/, '0000/files'))).statusCode, 403)
  const other = await submitBulk(gateway)
  t.is((await ask(pathname.replace(bulk.bulkId, other.bulkId))).statusCode, 403)
  await sql`update jobs set output_key = null where bulk_id = ${bulk.bulkId}`.execute(gateway.db)
  t.is((await ask(pathname)).statusCode, 409)
  await sql`update accounts set suspended_at = now() where id = ${bulk.accountId}`.execute(
    gateway.db,
  )
  t.is((await ask(pathname)).statusCode, 403)
})

test('an account may have four downloads at a time', async (t) => {
  const bulk = await submitBulk(gateway)
  // Larger than what sockets buffer, so that unread answers stay open.
  await complete(bulk.accountId, bulk.jobIds[0] ?? '', Buffer.alloc(32 * 1024 * 1024))
  const zipUrl = await zipUrlOf(bulk)
  const open = await Promise.all(Array.from({ length: 4 }, () => download(zipUrl)))
  const fifth = await download(zipUrl)
  t.is(fifth.statusCode, 429)
  t.is(fifth.headers['retry-after'], '10')
  t.regex((await buffer(fifth)).toString(), /must have <= 4 downloads of bulks open at a time/)
  for (const response of open) response.destroy()
  const { zipPlaces } = gateway.context
  while (zipPlaces.refusal(bulk.accountId)) await new Promise(setImmediate)
  const next = await download(zipUrl)
  t.is(next.statusCode, 200)
  next.destroy()
})
