import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import test from 'ava'
import { sql } from 'kysely'
import sharp from 'sharp'
import { createFarmClient, FarmApiError, type FarmClient } from '../../../client/farm-client.ts'
import { plans } from '../../../core/accounts/plans.ts'
import { mediaBytes } from '../../../core/limits.ts'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import { dropUnusedArtifacts } from '../../../store/db/artifacts/drop-unused-artifacts.ts'
import { forgetUploads } from '../../../store/db/uploads/forget-uploads.ts'
import { removeExpired } from '../../../workflows/janitor/retention.ts'
import { putArtifact } from '../../store/db/jobs/one-job.ts'
import { type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway
let door: string

test.before(async () => {
  gateway = await startGateway()
  await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  door = `http://127.0.0.1:${(gateway.server.server.address() as AddressInfo).port}`
})
test.after.always(() => gateway?.stop())

let shades = 0
/** A picture of its own bytes each time, with noise up to a wanted size. */
async function picture(): Promise<Buffer<ArrayBuffer>> {
  shades += 1
  const background = { r: shades % 256, g: shades >> 8, b: 7 }
  const made = sharp({ create: { width: 8, height: 8, channels: 3, background } })
  return Buffer.from(await made.png().toBuffer())
}

async function customer(): Promise<{ accountId: string; key: string; farm: FarmClient }> {
  const { accountId, key } = await gateway.customer()
  return { accountId, key, farm: createFarmClient({ url: door, apiKey: key, retries: 0 }) }
}

/** The address as a test may fetch it: the gateway's public name leads nowhere. */
const here = (url: string) => door + new URL(url).pathname

async function refusalOf(work: Promise<unknown>): Promise<FarmApiError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof FarmApiError) return error
  throw new Error('The farm must refuse', { cause: error })
}

const stored = async (accountId: string) =>
  (
    await sql<{ key: string }>`
      select object_key as key from uploads where account_id = ${accountId}`.execute(gateway.db)
  ).rows.map(({ key }) => key)

test('an uploaded picture is served unchanged, and as nothing that runs', async (t) => {
  const { farm } = await customer()
  const bytes = await picture()
  const upload = await farm.uploads.create(new Blob([bytes]), { name: 'page.html' })
  t.like(upload, { name: 'page.html', kind: 'image', mediaType: 'image/png', bytes: bytes.length })
  const answer = await fetch(here(upload.url))
  t.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes)
  const header = (name: string) => answer.headers.get(name)
  t.is(header('content-type'), 'image/png')
  t.is(header('x-content-type-options'), 'nosniff')
  t.regex(header('content-security-policy') ?? '', /^sandbox; default-src 'none'/)
  t.is(header('access-control-allow-origin'), '*')
  const again = { headers: { 'if-none-match': header('etag') ?? '' } }
  t.is((await fetch(here(upload.url), again)).status, 304)
})

test('the same bytes twice are one upload, for each account its own', async (t) => {
  const [one, other] = [await customer(), await customer()]
  const file = new Blob([await picture()])
  const first = await one.farm.uploads.create(file, { name: 'first' })
  t.deepEqual(await one.farm.uploads.create(file, { name: 'second' }), first)
  const theirs = await other.farm.uploads.create(file)
  t.not(theirs.id, first.id)
  t.not(theirs.url, first.url)
  t.like(await listing(one.key), { total: 1, bytes: file.size })
})

test('two that send the same bytes at once get one upload', async (t) => {
  const { farm, key } = await customer()
  const file = new Blob([await picture()])
  const made = await Promise.all([1, 2, 3].map(() => farm.uploads.create(file)))
  t.is(new Set(made.map(({ id }) => id)).size, 1)
  t.like(await listing(key), { total: 1, bytes: file.size })
})

async function listing(key: string, query = '') {
  const answer = await fetch(`${door}/api/uploads${query}`, { headers: { 'x-api-key': key } })
  return (await answer.json()) as { total: number; bytes: number; uploads: { name: string }[] }
}

test('uploads are listed by kind and part of name, newest first', async (t) => {
  const { farm, key } = await customer()
  await farm.uploads.create(new Blob([await picture()]), { name: 'Harbour at night.png' })
  await farm.uploads.create(new Blob([await picture()]), { name: 'harbour.png' })
  await farm.uploads.create(new Blob([Buffer.from(wav)]), { name: 'waves' })
  const names = async (query: string) => (await listing(key, query)).uploads.map(({ name }) => name)
  t.deepEqual(await names('?kind=image'), ['harbour.png', 'Harbour at night.png'])
  t.deepEqual(await names('?kind=audio'), ['waves'])
  t.deepEqual(await names('?search=NIGHT'), ['Harbour at night.png'])
})

const wav = 'RIFF\x24\x00\x00\x00WAVEfmt '

test('what a file is follows from its content', async (t) => {
  const { farm } = await customer()
  const kinds = [
    [wav, 'audio', 'audio/wav'],
    ['\x00\x00\x00\x18ftypM4A \x00\x00\x00\x00isom', 'audio', 'audio/mp4'],
    ['\x00\x00\x00\x18ftypisom\x00\x00\x00\x00mp42', 'video', 'video/mp4'],
    ['\x1a\x45\xdf\xa3', 'video', 'video/webm'],
    ['OggS', 'audio', 'audio/ogg'],
    ['GIF89a', 'image', 'image/gif'],
  ] as const
  for (const [content, kind, mediaType] of kinds) {
    const file = new Blob([Buffer.from(content, 'latin1')])
    t.like(await farm.uploads.create(file, { name: 'photo.jpg' }), { kind, mediaType })
  }
})

test('a file that is no medium is refused, whatever its name', async (t) => {
  const { farm, accountId } = await customer()
  const files = [
    ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', /markup \(svg\)/],
    ['<!doctype html><script>alert(1)</script>', /a file of another kind/],
    ['%PDF-1.7', /Got /],
  ] as const
  for (const [content, message] of files) {
    const error = await refusalOf(farm.uploads.create(new Blob([content]), { name: 'photo.png' }))
    t.like(error, { status: 422, code: 'media_invalid' })
    t.is(error.errors[0]?.field, 'file')
    t.regex(error.message, message)
  }
  t.deepEqual(await stored(accountId), [])
})

test('a long refused file gets its answer, and its connection goes on', async (t) => {
  const { farm } = await customer()
  const long = Buffer.alloc(8 * 2 ** 20, '<p>no medium</p>')
  t.is((await refusalOf(farm.uploads.create(new Blob([long])))).code, 'media_invalid')
  const bytes = Buffer.concat([Buffer.from('OggS'), Buffer.alloc(8 * 2 ** 20)])
  t.is((await farm.uploads.create(new Blob([bytes]))).bytes, bytes.length)
})

test('a file is refused by its length before it is read', async (t) => {
  const { key } = await customer()
  const png = (await picture()).subarray(0, 60)
  const cases = [
    [mediaBytes.image + 1, png, /<= 67108864 bytes\. Got 67108865/],
    [mediaBytes.audio + 1, Buffer.from(wav), /<= 536870912 bytes/],
    [mediaBytes.video + 1, Buffer.from('\x1a\x45\xdf\xa3'), /<= 1073741824 bytes/],
  ] as const
  for (const [length, content, message] of cases) {
    const padded = Buffer.concat([content, Buffer.alloc(70_000)])
    const answer = await sendRaw(key, [`content-length: ${length}`], padded)
    t.regex(answer, /^HTTP\/1\.1 422 /)
    t.regex(answer, /"code":"media_too_large"/)
    t.regex(answer, /"field":"file"/)
    t.regex(answer, message)
  }
})

test('a body without a length is refused', async (t) => {
  const { key } = await customer()
  const answer = await sendRaw(key, ['transfer-encoding: chunked'], Buffer.from('0\r\n\r\n'))
  t.regex(answer, /^HTTP\/1\.1 400 /)
  t.regex(answer, /Content-Length/)
})

/** Sends the head of an upload and some of its body, and answers what comes back. */
async function sendRaw(key: string, headers: readonly string[], body: Buffer): Promise<string> {
  const socket = connect(Number(new URL(door).port), '127.0.0.1')
  const head = ['POST /api/uploads HTTP/1.1', 'host: x', `x-api-key: ${key}`, ...headers]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.write(body)
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) {
    text += chunk
    if (text.includes('"requestId"')) break
  }
  socket.destroy()
  return text
}

test('an upload that breaks off leaves nothing, and gives its room back', async (t) => {
  const { key, accountId } = await customer()
  const socket = connect(Number(new URL(door).port), '127.0.0.1')
  const head = ['POST /api/uploads HTTP/1.1', 'host: x', `x-api-key: ${key}`]
  socket.write(`${[...head, 'content-length: 200000'].join('\r\n')}\r\n\r\n`)
  socket.write(Buffer.concat([Buffer.from('OggS'), Buffer.alloc(100_000)]))
  const open = async () =>
    (
      await sql<{ bytes: number }>`
        select coalesce(sum(bytes), 0)::bigint as bytes from uploads
        where account_id = ${accountId} and deleted_at is null`.execute(gateway.db)
    ).rows[0]?.bytes
  while ((await open()) !== 200_000) await new Promise((resolve) => setTimeout(resolve, 10))
  socket.destroy()
  await once(socket, 'close')
  while ((await open()) !== 0) await new Promise((resolve) => setTimeout(resolve, 10))
  t.like(await listing(key), { total: 0, bytes: 0 })
  const [objectKey = ''] = await stored(accountId)
  t.is(await gateway.objects.stat(objectKey), undefined)
})

test('uploads stay within the plan, and a deleted one makes room', async (t) => {
  const { farm, accountId } = await customer()
  const first = await farm.uploads.create(new Blob([await picture()]))
  const room = plans.free.storedGigabytes * 1e9
  await sql`update uploads set bytes = ${room} where account_id = ${accountId}`.execute(gateway.db)
  const error = await refusalOf(farm.uploads.create(new Blob([await picture()])))
  t.like(error, { status: 422, code: 'plan_limit' })
  t.is(error.errors[0]?.field, 'file')
  t.regex(error.message, /<= 5 GB of uploads/)
  await farm.uploads.delete(first.id)
  t.is((await fetch(here(first.url))).status, 404)
  await t.notThrowsAsync(async () => farm.uploads.create(new Blob([await picture()])))
})

test('an account has no more uploads than its plan says', async (t) => {
  const { farm, accountId } = await customer()
  await sql`
    insert into uploads (id, account_id, object_key, bytes, kind, media_type, name)
    select 'upl_' || lpad(n::text, 4, '0') || ${accountId.replaceAll('-', '').slice(0, 16)},
      ${accountId}, 'x', 1, 'image', 'image/png', 'x'
    from generate_series(1, ${plans.free.uploads}) n`.execute(gateway.db)
  const error = await refusalOf(farm.uploads.create(new Blob([await picture()])))
  t.regex(error.message, /<= 500 uploads/)
})

test('uploads take room that stored work of the account has to give', async (t) => {
  const { farm, accountId } = await customer()
  const digest = '0'.repeat(64)
  const artifact = { accountId, kind: 'segment', digest, objectKey: 'x', facts: {} } as const
  await putArtifact(gateway.db, { ...artifact, bytes: 60 })
  await sql`update artifacts set last_used_at = now() - interval '3 hours'
    where account_id = ${accountId}`.execute(gateway.db)
  const kept = async () =>
    (await gateway.db.selectFrom('artifacts').select('digest').execute()).length
  const drop = () => dropUnusedArtifacts(gateway.db, { limit: 100, bytesMax: () => 100 })
  await drop()
  t.is(await kept(), 1)
  const { id } = await farm.uploads.create(new Blob([Buffer.from(wav.padEnd(60))]))
  await drop()
  t.is(await kept(), 0)
  t.is(
    await gateway.context.db
      .selectFrom('uploads')
      .select('id')
      .execute()
      .then((rows) => rows.filter((row) => row.id === id).length),
    1,
  )
})

// The two that sweep the whole database run alone: each would take the other's files.
test.serial('deleted uploads and broken ones are removed from the store in time', async (t) => {
  const { farm, accountId } = await customer()
  const keptBytes = await picture()
  const { url } = await farm.uploads.create(new Blob([keptBytes]))
  const gone = await farm.uploads.create(new Blob([await picture()]))
  await farm.uploads.delete(gone.id)
  const keys = await stored(accountId)
  t.is(keys.length, 2)
  const age = (hours: number) =>
    sql`update uploads set created_at = created_at - make_interval(hours => ${hours}),
      deleted_at = deleted_at - make_interval(hours => ${hours})
      where account_id = ${accountId}`.execute(gateway.db)
  await removeExpired({ db: gateway.db, objects: gateway.objects })
  t.is((await stored(accountId)).length, 2)
  await age(2)
  await removeExpired({ db: gateway.db, objects: gateway.objects })
  const [left = '', ...others] = await stored(accountId)
  t.deepEqual(others, [])
  t.truthy(await gateway.objects.stat(left))
  for (const key of keys.filter((each) => each !== left)) {
    t.is(await gateway.objects.stat(key), undefined)
  }
  await sql`update uploads set stored_at = null where object_key = ${left}`.execute(gateway.db)
  await forgetUploads(gateway.db, { limit: 10 })
  t.deepEqual(await stored(accountId), [left])
  await age(30)
  await forgetUploads(gateway.db, { limit: 10 })
  t.deepEqual(await stored(accountId), [])
  t.is((await fetch(here(url))).status, 404)
})

test.serial('uploads of an account closed for a month are removed', async (t) => {
  const { farm, accountId } = await customer()
  await farm.uploads.create(new Blob([await picture()]))
  const [key = ''] = await stored(accountId)
  const later = async (days: number) => {
    await sql`update accounts set closed_at = now() - make_interval(days => ${days})
      where id = ${accountId}`.execute(gateway.db)
    await removeExpired({ db: gateway.db, objects: gateway.objects })
    await sql`update uploads set deleted_at = deleted_at - interval '2 hours'
      where account_id = ${accountId}`.execute(gateway.db)
    await removeExpired({ db: gateway.db, objects: gateway.objects })
    return await gateway.objects.stat(key)
  }
  t.truthy(await later(29))
  t.is(await later(31), undefined)
  t.deepEqual(await stored(accountId), [])
})

test('an address works unchanged alone, and not of a suspended account', async (t) => {
  const { farm, accountId } = await customer()
  const [one, other] = [
    await farm.uploads.create(new Blob([await picture()])),
    await farm.uploads.create(new Blob([await picture()])),
  ]
  const grantOf = (url: string) => url.split('/').at(-1) ?? ''
  const mixed = `${door}/uploads/${one.id}/${grantOf(other.url)}`
  t.is((await fetch(mixed)).status, 403)
  t.is((await fetch(here(one.url).slice(0, -1))).status, 403)
  await sql`update accounts set suspended_at = now() where id = ${accountId}`.execute(gateway.db)
  t.is((await fetch(here(one.url))).status, 403)
})

test('no account sees or ends the uploads of another', async (t) => {
  const [one, other] = [await customer(), await customer()]
  const upload = await one.farm.uploads.create(new Blob([await picture()]))
  t.like(await listing(other.key), { total: 0, bytes: 0 })
  t.is((await refusalOf(other.farm.uploads.delete(upload.id))).status, 404)
  t.is((await fetch(here(upload.url))).status, 200)
  const { key } = await createKey(gateway.db, {
    ...{ accountId: one.accountId, name: 'reader', scopes: ['jobs'] },
  })
  const reader = createFarmClient({ url: door, apiKey: key, retries: 0 })
  t.is((await refusalOf(reader.uploads.create(new Blob(['OggS'])))).status, 403)
})

test('names with control characters and endless ones are refused', async (t) => {
  const { farm } = await customer()
  const file = new Blob([await picture()])
  for (const name of ['a\r\nset-cookie: x', 'x'.repeat(201)]) {
    t.is((await refusalOf(farm.uploads.create(file, { name }))).errors[0]?.field, 'name')
  }
  const odd = '‮"><script>.png'
  const upload = await farm.uploads.create(file, { name: odd })
  t.is(upload.name, odd)
  t.is((await fetch(here(upload.url))).status, 200)
})
