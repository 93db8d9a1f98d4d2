import { randomUUID } from 'node:crypto'
import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { film, type Gateway, renderPath, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const greeting = {
  ...film,
  duration: '{{seconds}}',
  variables: { seconds: 2 },
  visuals: [{ type: 'TEXT', html: '<b>Hello {{name}}</b>' }],
}

type Customer = Awaited<ReturnType<Gateway['customer']>>

async function stored({ post }: Customer, more: object = {}, payload: object = greeting) {
  const reply = await post('/api/templates', { name: 'Greeting', payload, ...more })
  if (reply.statusCode !== 201) throw new Error(reply.body)
  return reply.json()
}

test('a template is stored, read, changed and deleted', async (t) => {
  const customer = await gateway.customer()
  const { get, send } = customer
  const made = await stored(customer, { description: 'For all' })
  t.regex(made.id, /^tpl_[A-Za-z0-9]{20}$/)
  t.like(made, { name: 'Greeting', description: 'For all', type: 'video', archived: false })
  t.deepEqual(made.payload, greeting)
  const path = `/api/templates/${made.id}`
  t.deepEqual((await get(path)).json(), made)
  const changed = (await send('PUT', path, { name: 'Welcome', payload: film })).json()
  t.like(changed, { id: made.id, name: 'Welcome', description: 'For all', payload: film })
  t.true(changed.updatedAt > made.updatedAt)
  const deleted = await send('DELETE', path)
  t.deepEqual([deleted.statusCode, deleted.json()], [200, { deleted: true }])
  for (const reply of [
    await get(path),
    await send('DELETE', path),
    await send('PUT', path, changed),
  ]) {
    t.true(reply.statusCode === 404 || reply.statusCode === 400)
  }
})

test('templates are listed by page and name, archived ones on demand', async (t) => {
  const customer = await gateway.customer()
  const { get, send } = customer
  const [a, b, c] = [
    await stored(customer, { name: 'Red 100%' }),
    await stored(customer, { name: 'red and blue' }),
    await stored(customer, { name: 'Green' }),
  ]
  await send('PUT', `/api/templates/${b.id}`, { archived: true })
  const idsOf = async (query: string) => {
    const { templates, total } = (await get(`/api/templates?${query}`)).json()
    return [total, ...templates.map(({ id }: { id: string }) => id)]
  }
  t.deepEqual(await idsOf(''), [2, c.id, a.id])
  t.deepEqual(await idsOf('archived=true'), [1, b.id])
  t.deepEqual(await idsOf('search=RED'), [1, a.id])
  t.deepEqual(await idsOf('search=0%25'), [1, a.id])
  t.deepEqual(await idsOf('search=_'), [0])
  t.deepEqual(await idsOf('page=2&pageSize=1'), [2, a.id])
  for (const query of ['page=0', 'archived=maybe', 'search=', 'limit=0']) {
    t.is((await get(`/api/templates?${query}`)).statusCode, 400, query)
  }
  const { templates } = (await get('/api/templates')).json()
  t.false('payload' in templates[0])
})

test('a payload’s shape is checked, placeholders allowed; every fault names its path', async (t) => {
  const { post, send } = await gateway.customer()
  const payload = { ...film, frameRate: 99, colour: 1, scenes: [{ visuals: [{ type: 'TEXTS' }] }] }
  const reply = await post('/api/templates', { name: ' ', payload, owner: 1 })
  t.is(reply.statusCode, 400)
  const fieldsOf = (problem: { details: { field: string }[] }) =>
    problem.details.map(({ field }) => field).sort()
  t.deepEqual(fieldsOf(reply.json()), [
    'name',
    'owner',
    'payload.colour',
    'payload.frameRate',
    'payload.scenes[0].duration',
    'payload.scenes[0].visuals[0].type',
  ])
  t.is((await post('/api/templates', { name: 'x' })).json().details[0].field, 'payload')
  const path = '/api/templates/tpl_00000000000000000000'
  t.is((await send('PUT', path, {})).statusCode, 400)
  t.is((await send('PUT', path, { payload: {}, id: 'x' })).json().details[0].field, 'id')
  t.is((await send('PUT', path, { name: 'x' })).statusCode, 404)
  t.is((await send('PUT', '/api/templates/x', { name: 'x' })).statusCode, 400)
})

test('scenes of a stored film must state a duration, also after placeholders', async (t) => {
  const customer = await gateway.customer()
  const scenes = (duration?: unknown) => ({ ...film, scenes: [{ id: 'a', duration }] })
  for (const duration of [undefined, -1, 0, -3, null]) {
    const payload = scenes(duration)
    const reply = await customer.post('/api/templates', { name: 'x', payload })
    // The published schema of a scene accepts the first two: other films may have them.
    t.is(reply.statusCode, duration === undefined || duration === -1 ? 422 : 400, String(duration))
    t.is(reply.json().details[0].field, 'payload.scenes[0].duration')
  }
  const { id } = await stored(customer, {}, scenes('{{seconds}}'))
  const preview = (seconds: number) =>
    customer.post(`/api/templates/${id}/preview`, { variables: { seconds } })
  t.is((await preview(4)).json().creditsRequired, 4)
  const refused = await preview(-1)
  t.is(refused.statusCode, 422)
  t.is(refused.json().details[0].field, 'scenes[0].duration')
  const whole = await stored(customer, {}, { ...film, scenes: '{{scenes}}' })
  const body = { template: whole.id, variables: { scenes: [{ id: 'a', duration: -1 }] } }
  const reply = await customer.post(renderPath, body)
  t.deepEqual([reply.statusCode, reply.json().details[0].field], [422, 'scenes[0].duration'])
})

test('a preview shows price, project and missing variables; it creates nothing', async (t) => {
  const customer = await gateway.customer()
  const { id } = await stored(customer)
  const path = `/api/templates/${id}/preview`
  const variables = { name: 'Ada', seconds: 5 }
  const overrides = { width: 640 }
  const reply = await customer.post(path, { variables, overrides })
  t.is(reply.statusCode, 200)
  t.like(reply.json(), {
    valid: true,
    creditsRequired: 5,
    payload: { width: 640, duration: 5, visuals: [{ html: '<b>Hello Ada</b>' }] },
    warnings: [],
  })
  const missing = await customer.post(path, {})
  t.is(missing.statusCode, 422)
  t.regex(missing.json().message, /visuals\[0\]\.html: .*name/)
  t.is((await customer.post(path, { variables: 1, jobId: 2 })).json().details.length, 2)
  t.is((await customer.get('/api/jobs')).json().total, 0)
})

test('a template’s render keeps a payload snapshot; its job names the template', async (t) => {
  const customer = await gateway.customer()
  const { get, post, send } = customer
  const { id } = await stored(customer)
  const variables = { name: 'Ada' }
  const validated = await post('/api/render/validate/api-key', { template: id, variables })
  t.is(validated.json().payload.visuals[0].html, '<b>Hello Ada</b>')
  const { jobId } = (await post(renderPath, { template: id, variables })).json()
  t.is((await get(`/api/jobs/${jobId}`)).json().templateId, id)
  const snapshot = async () => {
    const { request } = await gateway.db
      .selectFrom('jobs')
      .select('request')
      .where('id', '=', jobId)
      .executeTakeFirstOrThrow()
    return request
  }
  t.deepEqual(await snapshot(), { payload: greeting, variables })
  await send('PUT', `/api/templates/${id}`, { payload: { ...film, name: 'other' } })
  await send('DELETE', `/api/templates/${id}`)
  t.deepEqual(await snapshot(), { payload: greeting, variables })
  t.is((await get(`/api/jobs/${jobId}`)).json().templateId, id)
})

test('the event of a template’s job names the template', async (t) => {
  const customer = await gateway.customer()
  const { id: template } = await stored(customer, {}, film)
  const webhookUrl = 'https://example.com/told'
  const { jobId } = (await customer.post(renderPath, { template, webhookUrl })).json()
  await gateway.db.updateTable('jobs').set({ state: 'rendering' }).where('id', '=', jobId).execute()
  const result = { duration: 2, size: 9, width: 320, height: 180, format: 'mp4' as const }
  const links = { url: 'https://example.com/film', thumbnailUrl: null }
  await settleJob(gateway.db, {
    ...{ accountId: customer.accountId, jobId, reason: 'test' },
    settlement: { to: 'completed', result, links, outputKey: 'accounts/a/o', thumbnailKey: null },
  })
  const { body } = await gateway.db
    .selectFrom('webhook_deliveries')
    .select('body')
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow()
  t.is(JSON.parse(body).data.templateId, template)
})

test('a listed template tells its recent jobs and its last thumbnail', async (t) => {
  const customer = await gateway.customer()
  const { get, post, accountId } = customer
  const { id: used } = await stored(customer, {}, film)
  const { id: unused } = await stored(customer, {}, film)
  const submit = async () => (await post(renderPath, { template: used })).json().jobId
  const jobs = [await submit(), await submit(), await submit()]
  const set = (id: string, values: object) =>
    gateway.db.updateTable('jobs').set(values).where('id', '=', id).execute()
  const day = 86_400_000
  await set(jobs[0], {
    created_at: new Date(Date.now() - 31 * day),
    thumbnail_key: 'accounts/a/old',
  })
  await set(jobs[1], { thumbnail_key: `accounts/${accountId}/newer` })
  const { templates } = (await get('/api/templates')).json()
  t.deepEqual(
    templates.map(({ id }: { id: string }) => id),
    [unused, used],
  )
  t.like(templates[0], { recentJobs: 0, thumbnailUrl: null })
  t.is(templates[1].recentJobs, 2)
  t.true(templates[1].thumbnailUrl.includes(`accounts/${accountId}/newer`))
})

test('a template’s bulk keeps a payload snapshot, and its jobs name both', async (t) => {
  const customer = await gateway.customer()
  const { get, post, send } = customer
  const { id: template } = await stored(customer)
  const path = '/api/render/bulk/api-key'
  const items = ['Ada', 'Bob'].map((name) => ({ variables: { name } }))
  const { bulkId, jobIds } = (await post(path, { template, items })).json()
  t.is(jobIds.length, 2)
  await send('DELETE', `/api/templates/${template}`)
  const { jobs } = (await get(`/api/jobs?bulkId=${bulkId}&templateId=${template}`)).json()
  t.deepEqual(jobs.map(({ id }: { id: string }) => id).toSorted(), jobIds.toSorted())
  const { base } = await gateway.db
    .selectFrom('bulks')
    .select('base')
    .where('id', '=', bulkId)
    .executeTakeFirstOrThrow()
  t.deepEqual(base, { payload: greeting })
  const gone = await post(path, { template, items })
  t.deepEqual([gone.statusCode, gone.json().details[0].field], [404, 'template'])
})

test('an unknown, archived or foreign template is not found, beside other faults', async (t) => {
  const customer = await gateway.customer()
  const other = await gateway.customer()
  const { id } = await stored(customer, {}, film)
  const codeOf = async ({ post }: Customer, template: unknown) => {
    const reply = await post(renderPath, { template })
    return [reply.statusCode, reply.json().details?.[0]?.field]
  }
  t.is((await codeOf(customer, id))[0], 202)
  t.deepEqual(await codeOf(other, id), [404, 'template'])
  t.deepEqual(await codeOf(customer, `tpl_${'0'.repeat(20)}`), [404, 'template'])
  t.deepEqual(await codeOf(customer, 'tpl_short'), [400, 'template'])
  await customer.send('PUT', `/api/templates/${id}`, { archived: true })
  t.deepEqual(await codeOf(customer, id), [404, 'template'])
  t.is((await customer.post(`/api/templates/${id}/preview`)).statusCode, 200)
  t.is((await customer.post(`/api/templates/${id}/preview`, {})).statusCode, 200)
  await customer.send('PUT', `/api/templates/${id}`, { archived: false })
  t.is((await codeOf(customer, id))[0], 202)
  const many = await other.post(renderPath, { template: id, overrides: { width: 0 } })
  t.is(many.statusCode, 400)
  const fields = many.json().details.map(({ field }: { field: string }) => field)
  t.deepEqual(fields.sort(), ['overrides.width', 'template'])
  for (const path of ['', '/duplicate', '/preview']) {
    const reply =
      path === ''
        ? await other.get(`/api/templates/${id}`)
        : await other.post(`/api/templates/${id}${path}`, {})
    t.is(reply.statusCode, 404, path)
  }
  t.is((await other.send('DELETE', `/api/templates/${id}`)).statusCode, 404)
  t.is((await other.send('PUT', `/api/templates/${id}`, { name: 'mine' })).statusCode, 404)
})

test('a duplicate is a template of its own', async (t) => {
  const customer = await gateway.customer()
  const made = await stored(customer, { name: 'n'.repeat(200) })
  const named = await customer.post(`/api/templates/${made.id}/duplicate`, { name: 'Mine' })
  t.is(named.statusCode, 400)
  t.like(named.json().errors?.[0] ?? named.json().details?.[0], {
    field: 'name',
    message: '"name" is not a property of this request.',
  })
  const reply = await customer.post(`/api/templates/${made.id}/duplicate`)
  t.is(reply.statusCode, 201)
  const copy = reply.json()
  t.not(copy.id, made.id)
  t.deepEqual(copy.payload, made.payload)
  t.is(copy.name, `${'n'.repeat(193)} (copy)`)
  await customer.send('DELETE', `/api/templates/${made.id}`)
  t.is((await customer.get(`/api/templates/${copy.id}`)).statusCode, 200)
})

test('the plan caps an account’s templates, however many are made at once', async (t) => {
  const { post, get } = await gateway.customer()
  const limit = plans.free.templates
  const replies = await Promise.all(
    Array.from({ length: limit + 4 }, () =>
      post('/api/templates', { name: randomUUID(), payload: film }),
    ),
  )
  const count = (status: number) => replies.filter(({ statusCode }) => statusCode === status).length
  t.deepEqual([count(201), count(422)], [limit, 4])
  t.is((await get('/api/templates')).json().total, limit)
  const refused = replies.find(({ statusCode }) => statusCode === 422)?.json()
  t.like(refused, { code: 'plan_limit', planLimits: { templates: limit } })
})

test('clients of the original service find a template, its project and variables', async (t) => {
  const customer = await gateway.customer()
  const payload = { ...greeting, variables: { name: 'Ada', tags: ['a'], at: null } }
  const made = await stored(customer, {}, payload)
  const { template } = (await customer.get(`/api/templates/${made.id}`)).json()
  t.deepEqual(template.project, payload)
  t.like(template, { id: made.id, name: made.name })
  t.deepEqual(template.variablesSummary, [
    { name: 'at', type: 'null', default: null },
    { name: 'name', type: 'string', default: 'Ada' },
    { name: 'tags', type: 'array', default: ['a'] },
  ])
  const preview = (await customer.post(`/api/templates/${made.id}/preview`, {})).json()
  t.deepEqual(preview.project, preview.payload)
})
