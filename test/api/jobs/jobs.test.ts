import test from 'ava'
import sharp from 'sharp'
import { markFilesRemoved } from '../../../store/db/jobs/mark-files-removed.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { film, type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'
import { noise } from '../noise.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
  await gateway.server.listen({ port: 0, host: '127.0.0.1' })
})
test.after.always(() => gateway?.stop())

/** A customer's job that has run through its stages to an end. */
async function endedJob(settlement: Parameters<typeof settleJob>[1]['settlement']) {
  const customer = await gateway.customer()
  const { jobId } = (await customer.post(renderPath, requestOf())).json()
  await gateway.db
    .updateTable('jobs')
    .set({
      state: 'rendering',
      stages: '{"resolve": "2026-01-01T00:00:00.000Z", "plan": "2026-01-01T00:00:01.500Z"}',
    })
    .where('id', '=', jobId)
    .execute()
  await settleJob(gateway.db, { accountId: customer.accountId, jobId, reason: 'test', settlement })
  return { ...customer, jobId, job: (await customer.get(`/api/jobs/${jobId}`)).json() }
}

const links = { url: 'https://example.com/o', thumbnailUrl: null }
const result = { duration: 2, size: 9, width: 320, height: 180, format: 'mp4' as const }

test('a finished job has film and thumbnail addresses that this api serves', async (t) => {
  await gateway.objects.put('accounts/a/output', Buffer.from('the film!'))
  await gateway.objects.put('accounts/a/thumbnail', Buffer.from('small'))
  const keys = { outputKey: 'accounts/a/output', thumbnailKey: 'accounts/a/thumbnail', links }
  const { job } = await endedJob({ to: 'completed', result, ...keys })
  t.is(job.state, 'completed')
  t.is(job.progress, 100)
  t.is(job.creditsCharged, 2)
  t.is(job.failedReason, null)
  t.like(job.result, { duration: 2, size: 9, width: 320, height: 180, url: job.url })
  t.is(job.stages.resolve.seconds, 1.5)
  t.true(Date.parse(job.urlExpiresAt) > Date.now())
  const { pathname, search, origin } = new URL(job.url)
  t.is(origin, 'https://farm.example.com')
  const served = await fetch(`${listening()}${pathname}${search}`)
  t.is(served.status, 200)
  t.is(served.headers.get('content-type'), 'video/mp4')
  t.regex(served.headers.get('content-disposition') ?? '', /^inline; filename="[\w-]+\.mp4"/)
  t.is(await served.text(), 'the film!')
  const download = new URL(job.downloadUrl)
  const saved = await fetch(`${listening()}${download.pathname}${download.search}`)
  t.regex(saved.headers.get('content-disposition') ?? '', /^attachment; filename="[\w-]+\.mp4"/)
  t.is(await saved.text(), 'the film!')
  t.is((await fetch(`${listening()}${pathname}`)).status, 403)
  t.is(
    (await fetch(`${listening()}${pathname}${search}`, { method: 'PUT', body: 'x' })).status,
    403,
  )
})

test('a thumbnail is served to its account until its files are removed', async (t) => {
  await gateway.objects.put('accounts/a/thumb', Buffer.from('small'))
  await gateway.objects.put('accounts/a/huge', Buffer.alloc(4_000_001))
  const large = await noise(1920, 1080)
  t.true(large.length > 500_000, `${large.length}`)
  await gateway.objects.put('accounts/a/large', large)
  const keys = { outputKey: 'accounts/a/film', thumbnailKey: 'accounts/a/thumb', links }
  const { get, jobId } = await endedJob({ to: 'completed', result, ...keys })
  const path = `/api/jobs/${jobId}/thumbnail`
  const served = await get(path)
  t.is(served.headers['content-type'], 'image/jpeg')
  t.is(served.body, 'small')
  const stranger = await gateway.customer()
  t.is((await stranger.get(path)).statusCode, 404)
  const of = gateway.db.updateTable('jobs').where('id', '=', jobId)
  await of.set({ thumbnail_key: 'accounts/a/huge' }).execute()
  t.is((await get(path)).statusCode, 404)
  await of.set({ thumbnail_key: 'accounts/a/large' }).execute()
  const reduced = await get(path)
  t.is(reduced.statusCode, 200)
  t.true(reduced.rawPayload.length <= 500_000, `${reduced.rawPayload.length}`)
  t.is((await sharp(reduced.rawPayload).metadata()).format, 'jpeg')
  await of.set({ thumbnail_key: 'accounts/a/thumb' }).execute()
  t.is((await get(path)).statusCode, 200)
  await markFilesRemoved(gateway.db, [jobId])
  const gone = await get(path)
  t.is(gone.statusCode, 404)
  t.regex(gone.json().detail, /must be completed, and its files still kept.*It is completed/)
})

test('addresses end with their files, and the job says since when', async (t) => {
  const keys = { outputKey: 'accounts/a/short', thumbnailKey: null, links }
  const { get, jobId, job } = await endedJob({ to: 'completed', result, ...keys })
  const days = (Date.parse(job.outputExpiresAt) - Date.now()) / 86_400_000
  t.is(Math.round(days), 7)
  t.is(job.outputExpiredAt, null)
  const soon = new Date(Date.now() + 60_000)
  const of = () => gateway.db.updateTable('jobs').where('id', '=', jobId)
  await of().set({ files_expire_at: soon }).execute()
  const short = (await get(`/api/jobs/${jobId}`)).json()
  t.is(short.outputExpiresAt, soon.toISOString())
  t.true(Date.parse(short.urlExpiresAt) <= soon.getTime())
  t.true(Number(new URL(short.url).searchParams.get('expires')) * 1000 <= soon.getTime() + 1000)
  await markFilesRemoved(gateway.db, [jobId])
  const gone = (await get(`/api/jobs/${jobId}`)).json()
  t.like(gone, { state: 'completed', url: null, thumbnailUrl: null, urlExpiresAt: null })
  t.like(gone.result, { url: null, duration: 2, size: 9 })
  t.true(Date.parse(gone.outputExpiredAt) <= Date.now())
})

test('the object door takes signed uploads longer than any JSON body', async (t) => {
  const signed = new URL(await gateway.objects.signPut('accounts/a/up', { seconds: 60 }))
  const body = Buffer.alloc(3_000_000, 7)
  const reply = await fetch(`${listening()}${signed.pathname}${signed.search}`, {
    method: 'PUT',
    body,
  })
  t.is(reply.status, 200)
  t.true((await gateway.objects.read('accounts/a/up')).equals(body))
})

test('a failure of the farm says that nothing was charged', async (t) => {
  const details = [
    { field: 'visuals[0].src', code: 'media_invalid', message: 'No picture' },
  ] as const
  const ours = { code: 'node_lost', message: 'The machine was lost', details: [] } as const
  const theirs = { code: 'media_invalid', message: 'The file must be a picture.', details } as const
  const { job } = await endedJob({ to: 'failed', error: ours })
  t.is(job.failedReason, 'The machine was lost. Nothing was charged.')
  const other = await endedJob({ to: 'failed', error: theirs })
  t.is(other.job.failedReason, 'The file must be a picture.')
  const pointers = details.map((fault) => ({ ...fault, pointer: '/payload/visuals/0/src' }))
  t.deepEqual(other.job.error.details, pointers)
  t.is(other.job.creditsCharged, 0)
  t.is(other.job.url, null)
})

test('a job is cancelled at once, and once', async (t) => {
  const { post, get } = await gateway.customer()
  const { jobId } = (await post(renderPath, requestOf())).json()
  const reply = await post(`/api/jobs/${jobId}/cancel`)
  t.is(reply.statusCode, 200)
  t.is(reply.json().state, 'cancelled')
  t.deepEqual((await post(`/api/jobs/${jobId}/cancel`)).json().ts, reply.json().ts)
  t.is((await get('/api/credits/balance')).json().reserved, 0)
})

test('jobs are listed by page and state, newest first', async (t) => {
  const { post, get } = await gateway.customer()
  const ids: string[] = []
  for (let i = 0; i < 3; i += 1) ids.unshift((await post(renderPath, requestOf())).json().jobId)
  await post(`/api/jobs/${ids[1]}/cancel`)
  const idsOf = async (query: string) => {
    const { jobs, total } = (await get(`/api/jobs?${query}`)).json()
    return [total, ...jobs.map(({ id }: { id: string }) => id)]
  }
  t.deepEqual(await idsOf(''), [3, ...ids])
  t.deepEqual(await idsOf('page=2&pageSize=2'), [3, ids[2]])
  t.deepEqual(await idsOf('state=cancelled'), [1, ids[1]])
  for (const query of ['state=lost', 'page=0', 'page=x', 'pageSize=101', 'createdTo=today']) {
    const reply = await get(`/api/jobs?${query}`)
    t.is(reply.statusCode, 400, query)
    t.is(reply.json().details[0].field, query.split('=')[0])
  }
  const lost = (await get('/api/jobs?state=lost')).json()
  t.regex(lost.message, /^state must be one of queued, resolving, .*, cancelled\. Got "lost"$/)
  t.is((await get('/api/jobs?color=red')).statusCode, 400)
})

test('jobs are found by type, name, template and time', async (t) => {
  const { post, get } = await gateway.customer()
  const made = async (body: object): Promise<string> => {
    const reply = await post(renderPath, body)
    if (reply.statusCode !== 202) throw new Error(reply.body)
    return reply.json().jobId
  }
  const red = await made({ payload: { ...film, name: 'Red film' } })
  const { id: template } = (await post('/api/templates', { name: 'x', payload: film })).json()
  const templated = await made({ template, overrides: { name: 'all_red' } })
  const middle = new Date().toISOString()
  const still = await made({ payload: { type: 'image', name: 'Red', width: 9, height: 9 } })
  const found = async (query: string) => {
    const { jobs, total } = (await get(`/api/jobs?${query}`)).json()
    t.is(total, jobs.length)
    return jobs.map(({ id }: { id: string }) => id)
  }
  t.deepEqual(await found('type=image'), [still])
  t.deepEqual(await found('search=RED'), [still, templated, red])
  t.deepEqual(await found('search=_red'), [templated])
  t.deepEqual(await found(`templateId=${template}`), [templated])
  t.deepEqual(await found(`createdTo=${middle}`), [templated, red])
  t.deepEqual(await found(`createdFrom=${middle}&search=red`), [still])
  const berlin = middle.replace('Z', '%2B01:00')
  t.deepEqual(await found(`createdTo=${berlin}`), [])
})

test('the profile shows the plan, its limits and the credits', async (t) => {
  const { get, accountId } = await gateway.customer(7)
  const profile = (await get('/api/user/profile')).json()
  t.is(profile.user.id, accountId)
  t.is(profile.plan.name, 'free')
  t.is(profile.plan.limits.scenes, 25)
  t.deepEqual(profile.credits, { balance: 7, reserved: 0 })
})

test('the language has a published JSON Schema, all routes one OpenAPI document', async (t) => {
  const get = async (url: string) => await gateway.server.inject({ method: 'GET', url })
  const whole = (await get('/api/render/schema/api-key')).json()
  const project = (await get('/api/render/schema/api-key?target=project')).json()
  t.is(whole.$schema, 'https://json-schema.org/draft/2020-12/schema')
  t.truthy(whole.properties.payload)
  t.truthy(project.$defs.VideoProject.properties.visuals)
  t.is((await get('/api/render/schema/api-key?target=x')).statusCode, 400)
  const openapi = (await get('/openapi.json')).json()
  t.is(openapi.openapi, '3.1.0')
  const paths = Object.keys(openapi.paths)
  for (const path of [renderPath, '/api/jobs/{id}', '/api/jobs', '/api/user/profile']) {
    t.true(paths.includes(path), path)
  }
  const body = openapi.paths[renderPath].post.requestBody.content['application/json'].schema
  t.deepEqual(body, { $ref: '#/components/schemas/RenderRequest' })
  const refs = [...JSON.stringify(openapi).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)]
  for (const [, name = ''] of refs) t.truthy(openapi.components.schemas[name], name)
})

test('the service tells whether it lives, is ready, and what it answered', async (t) => {
  const get = async (url: string) => await gateway.server.inject({ method: 'GET', url })
  t.deepEqual((await get('/healthz')).json(), { status: 'ok' })
  t.deepEqual((await get('/readyz')).json(), { status: 'ok' })
  t.regex(
    await gateway.context.metrics.registry.metrics(),
    /farm_http_request_seconds_count\{[^}]*route="\/healthz"/,
  )
  const unknown = await get('/api/nothing')
  t.is(unknown.statusCode, 404)
  t.is(unknown.json().code, 'not_found')
})

function listening(): string {
  const address = gateway.server.server.address()
  if (address === null || typeof address === 'string') throw new Error('The api has no port')
  return `http://127.0.0.1:${address.port}`
}

test('stills name their own type', async (t) => {
  const still = { ...result, duration: 0, format: 'jpg' as const }
  const keys = { outputKey: 'accounts/a/still', thumbnailKey: null, links }
  const { job } = await endedJob({ to: 'completed', result: still, ...keys })
  t.is(new URL(job.url).searchParams.get('contentType'), 'image/jpeg')
  t.is(job.thumbnailUrl, null)
})

test('query values that the database cannot hold are refused by name', async (t) => {
  const { get } = await gateway.customer()
  for (const [path, field] of [
    ['/api/jobs?search=%00', 'search'],
    ['/api/templates?search=a%00', 'search'],
    ['/api/jobs?createdFrom=0000-01-01T00:00:00Z', 'createdFrom'],
    ['/api/credits/transactions?to=0000-01-01T00:00:00Z', 'to'],
    ['/api/jobs?page=true', 'page'],
    ['/api/jobs?page=1&page=2', 'page'],
    ['/api/jobs?pages=1', 'pages'],
    ['/api/jobs/none', 'id'],
  ] as const) {
    const reply = await get(path)
    t.is(reply.statusCode, 400, path)
    t.deepEqual(
      reply.json().details.map((each: { field: string }) => each.field),
      [field],
      path,
    )
  }
  const unknown = (await get('/api/jobs?per_page=2')).json().message
  t.regex(unknown, /^A parameter must be one of state, .*, limit\. Got per_page$/)
  const wrong = await gateway.server.inject({ method: 'PATCH', url: '/api/jobs/none' })
  t.deepEqual([wrong.statusCode, wrong.headers.allow], [405, 'GET, HEAD'])
})
