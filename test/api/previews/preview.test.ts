import test from 'ava'
import { sql } from 'kysely'
import sharp from 'sharp'
import { plans } from '../../../core/accounts/plans.ts'
import type { JobError } from '../../../core/jobs/jobs.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { filmOf, listPreviews, named, path } from './preview-requests.ts'

let gateway: Gateway
let jpeg: Buffer
test.before(async () => {
  gateway = await startGateway()
  const create = { width: 64, height: 36, channels: 3, background: '#c02040' } as const
  jpeg = await sharp({ create }).jpeg().toBuffer()
})
test.after.always(() => gateway?.stop())

type Customer = Awaited<ReturnType<Gateway['customer']>>

const previewsOf = async (accountId: string) => await listPreviews(gateway.db, accountId)

/** Ends the account's open previews as the workflow does, each with a sheet in the store. */
async function finish(accountId: string): Promise<void> {
  for (const { id: jobId } of await previewsOf(accountId)) {
    const outputKey = `accounts/${accountId}/tasks/${jobId}/1/sheet`
    await gateway.objects.put(outputKey, jpeg)
    // As the stages do: a job that is queued is never completed at once.
    await sql`update jobs set state = 'rendering' where id = ${jobId} and state = 'queued'`.execute(
      gateway.db,
    )
    const sheet = {
      frame: { width: 64, height: 36 },
      frames: [{ time: 1, x: 0, y: 0 }],
      quality: 80,
    }
    const size = { size: jpeg.length, width: 64, height: 36 }
    await settleJob(gateway.db, {
      ...{ accountId, jobId, reason: 'rendered' },
      settlement: {
        to: 'completed',
        result: { duration: 0, ...size, format: 'jpg', sheet },
        ...{ charge: 0, outputKey, thumbnailKey: null, links: { url: '', thumbnailUrl: null } },
      },
    })
  }
}

async function fail(accountId: string, error: JobError): Promise<void> {
  for (const { id: jobId } of await previewsOf(accountId)) {
    await settleJob(gateway.db, {
      ...{ accountId, jobId, reason: error.code },
      settlement: { to: 'failed', error },
    })
  }
}

/** Asks, and ends the preview while the request waits for it. */
async function askAndFinish(customer: Customer, body: object, headers = {}) {
  const asking = customer.send('POST', path, body, headers)
  while ((await previewsOf(customer.accountId)).length === 0) await asking.catch(() => undefined)
  await finish(customer.accountId)
  const first = await asking
  return first.statusCode === 202 ? await customer.send('POST', path, body, headers) : first
}

test('a late preview says how to ask again, and is one job', async (t) => {
  const customer = await gateway.customer()
  const replies = await Promise.all(
    Array.from({ length: 30 }, () => customer.post(path, named('many'))),
  )
  t.deepEqual([...new Set(replies.map(({ statusCode }) => statusCode))], [202])
  const [reply] = replies
  t.is(reply?.headers['retry-after'], '2')
  t.like(reply?.json(), { status: 'painting', retryAfterSeconds: 2 })
  const rows = await previewsOf(customer.accountId)
  t.is(rows.length, 1)
  t.like(rows[0], { held: 0, priority: 'low' })
})

test('the sheet comes as JSON with address, inline, or as the JPEG', async (t) => {
  const customer = await gateway.customer()
  const shown = await askAndFinish(customer, named('forms'))
  t.is(shown.statusCode, 200, shown.body)
  const { url, image, frames, frameWidth, size } = shown.json()
  t.like({ image, frameWidth, size }, { image: undefined, frameWidth: 64, size: jpeg.length })
  t.deepEqual(frames, [{ time: 1, x: 0, y: 0 }])
  const fetched = await gateway.server.inject(url.slice('https://farm.example.com'.length))
  t.is(fetched.headers['content-type'], 'image/jpeg')
  t.true(fetched.rawPayload.equals(jpeg))
  const inline = await customer.post(path, named('forms', { inline: true }))
  t.like(inline.json(), { cached: true })
  t.true(Buffer.from(inline.json().image, 'base64').equals(jpeg))
  for (const accept of ['image/jpeg', 'image/*', 'text/html, image/jpeg;q=0.9']) {
    const picture = await customer.send('POST', path, named('forms'), { accept })
    t.is(picture.headers['content-type'], 'image/jpeg')
    t.true(picture.rawPayload.equals(jpeg))
  }
  t.is((await previewsOf(customer.accountId)).length, 1)
})

test('a preview is in no account list, costs nothing, tells no webhook', async (t) => {
  const customer = await gateway.customer()
  await customer.post('/api/webhooks', {
    url: 'https://hooks.example.com/',
    events: ['render.completed'],
  })
  await askAndFinish(customer, named('hidden'))
  const [row] = await previewsOf(customer.accountId)
  t.deepEqual((await customer.get('/api/jobs')).json().jobs, [])
  t.is((await customer.get(`/api/jobs/${row?.id}`)).statusCode, 404)
  t.is((await customer.get(`/api/jobs/${row?.id}/events`)).statusCode, 404)
  t.is((await customer.post(`/api/jobs/${row?.id}/cancel`)).statusCode, 404)
  t.like((await customer.get('/api/credits/balance')).json(), { balance: 1000 })
  const { rows } = await sql<{ entries: number; deliveries: number }>`
    select (select count(*)::int from credit_entries where job_id = ${row?.id}) as entries,
      (select count(*)::int from webhook_deliveries where job_id = ${row?.id}) as deliveries`.execute(
    gateway.db,
  )
  t.deepEqual(rows, [{ entries: 0, deliveries: 0 }])
})

test('another account gets a preview of its own', async (t) => {
  const one = await gateway.customer()
  const other = await gateway.customer()
  await askAndFinish(one, named('mine'))
  t.is((await other.post(path, named('mine'))).statusCode, 202)
  t.is((await previewsOf(other.accountId)).length, 1)
})

test('changes to the picture make another preview; other changes find the first', async (t) => {
  const customer = await gateway.customer()
  await askAndFinish(customer, named('same'))
  const found = [{ inline: true }, { maxBytes: 200_000 }, { variables: { unused: 1 } }]
  for (const rest of found) {
    const reply = await customer.post(path, named('same', rest))
    t.is(reply.statusCode, 200, JSON.stringify(rest))
  }
  const others = [{ times: [1] }, { width: 100 }, { maxBytes: 27_000 }]
  for (const [i, rest] of others.entries()) {
    t.is((await customer.post(path, named('same', rest))).statusCode, 202, JSON.stringify(rest))
    t.is((await previewsOf(customer.accountId)).length, i + 2)
    await finish(customer.accountId)
  }
})

test('refresh paints anew, once for those who ask again', async (t) => {
  const customer = await gateway.customer()
  await askAndFinish(customer, named('fresh'))
  t.is((await customer.post(path, named('fresh', { refresh: true }))).statusCode, 202)
  t.is((await previewsOf(customer.accountId)).length, 2)
  await finish(customer.accountId)
  t.is((await customer.post(path, named('fresh', { refresh: true }))).statusCode, 200)
  t.is((await customer.post(path, named('fresh'))).statusCode, 200)
  t.is((await previewsOf(customer.accountId)).length, 2)
})

test('a failure names the medium’s field, and is tried again later', async (t) => {
  const customer = await gateway.customer()
  const src = 'https://cdn.example.com/gone.png'
  const body = filmOf({ visuals: [{ type: 'IMAGE', src }] })
  await customer.post(path, body)
  const message = 'The server answered 404.'
  const fault = { field: 'visuals[0].src', code: 'media_unreachable' as const, message }
  await fail(customer.accountId, { code: 'media_unreachable', message, details: [fault] })
  const reply = await customer.post(path, body)
  t.is(reply.statusCode, 422, reply.body)
  t.like(reply.json().details[0], { ...fault, pointer: '/payload/visuals/0/src' })
  await sql`update jobs set finished_at = now() - interval '16 seconds'
    where account_id = ${customer.accountId}`.execute(gateway.db)
  t.is((await customer.post(path, body)).statusCode, 202)
  t.is((await previewsOf(customer.accountId)).length, 2)
})

test('times later found beyond the end name their place in the body', async (t) => {
  const customer = await gateway.customer()
  const clip = { type: 'VIDEO', src: 'https://cdn.example.com/a.mp4' }
  const payload = { width: 320, height: 180, scenes: [{ duration: -1, visuals: [clip] }] }
  const body = { payload, times: [1, 99] }
  await customer.post(path, body)
  const message = 'times[1] must be within the film, which is 10 s long. Got 99'
  const fault = { field: 'times[1]', code: 'invalid_value' as const, message }
  await fail(customer.accountId, { code: 'invalid_value', message, details: [fault] })
  const reply = await customer.post(path, body)
  t.is(reply.statusCode, 422, reply.body)
  t.like(reply.json().details[0], { field: 'times[1]', pointer: '/times/1' })
})

test('a preview that the sweeper ended says it took too long', async (t) => {
  const customer = await gateway.customer()
  await customer.post(path, named('late'))
  const [row] = await previewsOf(customer.accountId)
  await settleJob(gateway.db, {
    ...{ accountId: customer.accountId, jobId: row?.id ?? '', reason: 'late' },
    settlement: { to: 'cancelled', charge: 0 },
  })
  const reply = await customer.post(path, named('late'))
  t.is(reply.statusCode, 503)
  t.regex(reply.json().message, /ten minutes/)
})

const { previewsAtOnce: atOnce, previewsPerMinute: perMinute, previewsPerDay: perDay } = plans.free

test('an account has so many previews painted at once; others must wait', async (t) => {
  const customer = await gateway.customer()
  const ask = (name: string) => customer.post(path, named(name))
  const replies = await Promise.all(Array.from({ length: 12 }, (_, i) => ask(`at once ${i}`)))
  const refused = replies.filter(({ statusCode }) => statusCode === 429)
  t.is(refused.length, 12 - atOnce)
  t.is(refused[0]?.headers['retry-after'], '2')
  t.is((await previewsOf(customer.accountId)).length, atOnce)
  const other = await gateway.customer()
  t.is((await other.post(path, named('at once 0'))).statusCode, 202)
  await finish(customer.accountId)
  t.is((await ask('at once 99')).statusCode, 202)
})

/** Says that the account has used so many of a window already. */
async function use(accountId: string, per: 'minute' | 'day', used: number): Promise<void> {
  await sql`
    insert into rate_windows (subject, minute, used, granted)
    values (${`previews-${per}:${accountId}`}, date_trunc(${per}, clock_timestamp(), 'UTC'), ${used}, 0)
    on conflict (subject) do update set minute = excluded.minute, used = excluded.used`.execute(
    gateway.db,
  )
}

test('the twenty-first preview a minute and one too many daily are refused', async (t) => {
  for (const [per, limit, most] of [
    ['minute', perMinute, 60],
    ['day', perDay, 86_400],
  ] as const) {
    const customer = await gateway.customer()
    await use(customer.accountId, per, limit - 1)
    t.is((await customer.post(path, named('last'))).statusCode, 202)
    await finish(customer.accountId)
    await use(customer.accountId, per, limit)
    const reply = await customer.post(path, named('too many'))
    t.is(reply.statusCode, 429, per)
    t.regex(
      reply.json().message,
      new RegExp(`^An account may have ${limit} previews painted a ${per}\\.`),
    )
    const wait = Number(reply.headers['retry-after'])
    t.true(wait >= 1 && wait <= most, String(wait))
    // A sheet that is there counts towards no limit.
    t.is((await customer.post(path, named('last'))).statusCode, 200)
    t.is((await previewsOf(customer.accountId)).length, 1)
  }
})

test('twenty previews a minute are served one after another, and no more', async (t) => {
  const customer = await gateway.customer()
  const statuses: number[] = []
  for (let i = 0; i < perMinute + 1; i += 1) {
    statuses.push((await customer.post(path, named(`nth ${i}`))).statusCode)
    await finish(customer.accountId)
  }
  const minutes = await sql<{ used: number }>`
    select used from rate_windows where subject = ${`previews-minute:${customer.accountId}`}`.execute(
    gateway.db,
  )
  // A minute that began meanwhile has a new count.
  if (minutes.rows[0]?.used === perMinute) t.is(statuses.at(-1), 429)
  t.true(statuses.slice(0, perMinute).every((status) => status === 202))
})

test('a farm of one’s own paints as many as one likes', async (t) => {
  const own = await gateway.startReplica({ rateLimits: 'off' })
  t.teardown(() => own.stop())
  const { key, accountId } = await gateway.customer()
  await use(accountId, 'minute', perMinute)
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const request = {
    method: 'POST',
    url: path,
    headers,
    payload: JSON.stringify(named('own')),
  } as const
  t.is((await own.server.inject(request)).statusCode, 202)
})

test('an unfinished answer is not repeated under its Idempotency-Key', async (t) => {
  const customer = await gateway.customer()
  const keyed = { 'idempotency-key': 'a-preview' }
  t.is((await customer.send('POST', path, named('keyed'), keyed)).statusCode, 202)
  await finish(customer.accountId)
  const again = await customer.send('POST', path, named('keyed'), keyed)
  t.is(again.statusCode, 200, again.body)
})

test('a key without the scope, and nobody, get no preview', async (t) => {
  const customer = await gateway.customer()
  const made = await gateway.server.inject({ method: 'POST', url: path, payload: {} })
  t.is(made.statusCode, 401)
  const { rows } = await sql<{ id: string }>`
    update api_keys set scopes = '{jobs}' where account_id = ${customer.accountId} returning id`.execute(
    gateway.db,
  )
  t.is(rows.length, 1)
  t.is((await customer.post(path, named('scope'))).statusCode, 403)
})

test('a stored template is previewed with its variables', async (t) => {
  const customer = await gateway.customer()
  const payload = {
    ...film,
    visuals: [{ type: 'TEXT', text: 'Hi {{ who }}' }],
    variables: { who: 'A' },
  }
  const { id } = (await customer.post('/api/templates', { name: 'hi', payload })).json()
  t.is((await customer.post(path, { template: id, variables: { who: 'B' } })).statusCode, 202)
  const reply = await customer.post(path, { template: id, variables: { who: 5 }, width: 1 })
  t.is(reply.statusCode, 400)
  const [row] = await previewsOf(customer.accountId)
  const { rows } = await sql<{ request: { payload: unknown } }>`
    select request from jobs where id = ${row?.id}`.execute(gateway.db)
  t.deepEqual(rows[0]?.request.payload, payload)
})
