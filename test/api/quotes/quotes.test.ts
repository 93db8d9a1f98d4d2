import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sql } from 'kysely'
import { removeExpired } from '../../../workflows/janitor/retention.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const quoted = async (
  customer: Awaited<ReturnType<Gateway['customer']>>,
  body: object = { payload: film },
) => (await customer.post('/api/quotes', body)).json()
const balance = async ({ get }: Awaited<ReturnType<Gateway['customer']>>) =>
  (await get('/api/credits/balance')).json()

test('a quote says its price and costs nothing until it is rendered', async (t) => {
  const customer = await gateway.customer()
  const made = await customer.post('/api/quotes', { payload: film })
  t.is(made.statusCode, 201, made.body)
  const quote = made.json()
  t.regex(quote.id, /^qt_[A-Za-z0-9]{20}$/)
  t.like(quote, {
    kind: 'job',
    state: 'open',
    creditsRequired: 2,
    creditsMost: 2,
    exact: true,
    jobId: null,
  })
  t.is(Date.parse(quote.expiresAt) - Date.parse(quote.createdAt), 15 * 60_000)
  t.like(await balance(customer), { reserved: 0 })
  const rendered = await customer.post(`/api/quotes/${quote.id}/render`)
  t.is(rendered.statusCode, 202, rendered.body)
  const { jobId } = rendered.json()
  t.deepEqual(rendered.json(), { quoteId: quote.id, jobId, jobIds: [jobId], creditsReserved: 2 })
  t.like(await balance(customer), { reserved: 2 })
  t.like((await customer.get(`/api/quotes/${quote.id}`)).json(), { state: 'used', jobId })
  t.like((await customer.get(`/api/jobs/${jobId}`)).json(), { id: jobId, creditsReserved: 2 })
})

test('a quote has the name of overrides, itself or project', async (t) => {
  const customer = await gateway.customer()
  const named = { payload: { ...film, name: 'project' } }
  t.is((await quoted(customer)).name, null)
  t.is((await quoted(customer, named)).name, 'project')
  t.is((await quoted(customer, { ...named, overrides: { name: 'mine' } })).name, 'mine')
  const { id } = await quoted(customer, { ...named, name: 'bulk', items: [{}] })
  t.is((await customer.get(`/api/quotes/${id}`)).json().name, 'bulk')
})

test('a quote of a draft and its job have the draft’s name', async (t) => {
  const customer = await gateway.customer()
  const draft = async (payload: object) =>
    (await customer.post('/api/projects', { name: 'Mine', payload })).json().id
  const project = await draft(film)
  const quote = await quoted(customer, { project })
  t.is(quote.name, 'Mine')
  const { jobId } = (await customer.post(`/api/quotes/${quote.id}/render`)).json()
  t.is((await customer.get(`/api/jobs/${jobId}`)).json().name, 'Mine')
  const small = { width: 320 }
  t.is((await quoted(customer, { project, overrides: small })).name, 'Mine')
  t.is((await quoted(customer, { project, overrides: { name: 'other' } })).name, 'other')
  t.is((await quoted(customer, { project: await draft({ ...film, name: 'own' }) })).name, 'own')
  t.is((await quoted(customer, { project, items: [{}] })).name, 'Mine')
  t.is((await quoted(customer, { project, name: 'bulk', items: [{}] })).name, 'bulk')
})

test('a quoted still has no length', async (t) => {
  const customer = await gateway.customer()
  const still = { payload: { type: 'image', visuals: [{ type: 'TEXT', text: 'x' }] } }
  t.like(await quoted(customer, still), { creditsRequired: 1, exact: true, duration: 0 })
  t.like(await quoted(customer, { ...still, items: [{}, {}] }), { creditsRequired: 2, duration: 0 })
})

test('a hundred parallel renders of one quote make one job, one charge', async (t) => {
  const customer = await gateway.customer()
  const { id } = await quoted(customer)
  await sql`update accounts set plan = 'studio' where id = ${customer.accountId}`.execute(
    gateway.db,
  )
  const replies = await Promise.all(
    Array.from({ length: 100 }, () => customer.post(`/api/quotes/${id}/render`)),
  )
  t.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([202]))
  t.is(new Set(replies.map(({ body }) => body)).size, 1)
  t.is((await customer.get('/api/jobs')).json().total, 1)
  t.like(await balance(customer), { reserved: 2 })
})

test('a hundred parallel renders of a quoted bulk make one bulk', async (t) => {
  const customer = await gateway.customer()
  await sql`update accounts set plan = 'studio' where id = ${customer.accountId}`.execute(
    gateway.db,
  )
  const items = [{ name: 'a' }, { name: 'b' }, { nme: 'c' }]
  const quote = await quoted(customer, { payload: film, items })
  t.like(quote, { kind: 'bulk', creditsRequired: 4, creditsMost: 4, duration: 4 })
  t.deepEqual(
    quote.errors.map(({ index }: { index: number }) => index),
    [2],
  )
  const replies = await Promise.all(
    Array.from({ length: 100 }, () => customer.post(`/api/quotes/${quote.id}/render`)),
  )
  t.is(new Set(replies.map(({ body }) => body)).size, 1, replies[0]?.body)
  t.is(replies[0]?.json().jobIds.length, 2)
  const bulkId = replies[0]?.json().bulkId
  t.like((await customer.get(`/api/quotes/${quote.id}`)).json(), {
    state: 'used',
    bulkId,
    jobId: null,
  })
  t.is((await customer.get('/api/jobs')).json().total, 2)
  t.like(await balance(customer), { reserved: 4 })
})

test('a quote is refused once its draft or template has changed', async (t) => {
  const customer = await gateway.customer()
  const { post, send } = customer
  const { id: project } = (await post('/api/projects', { name: 'Draft', payload: film })).json()
  const { id: template } = (await post('/api/templates', { name: 'Card', payload: film })).json()
  for (const [origin, change] of [
    [
      { project },
      () =>
        send('PATCH', `/api/projects/${project}`, {
          patch: [{ op: 'add', path: '/duration', value: 3 }],
        }),
    ],
    [
      { template },
      () => send('PUT', `/api/templates/${template}`, { payload: { ...film, duration: 3 } }),
    ],
  ] as const) {
    const [used, changed] = [await quoted(customer, origin), await quoted(customer, origin)]
    t.is((await post(`/api/quotes/${used.id}/render`)).statusCode, 202)
    await change()
    const refused = await post(`/api/quotes/${changed.id}/render`)
    t.is(refused.statusCode, 409, refused.body)
    t.is(refused.json().code, 'quote_changed')
    t.is(
      (await post(`/api/quotes/${used.id}/render`)).statusCode,
      202,
      'a used quote answers the same',
    )
    t.is((await quoted(customer, origin)).creditsRequired, 3)
  }
})

test('a quote of what was deleted says so', async (t) => {
  const customer = await gateway.customer()
  const { post, send } = customer
  const { id: project } = (await post('/api/projects', { name: 'Draft', payload: film })).json()
  const { id: template } = (await post('/api/templates', { name: 'Card', payload: film })).json()
  for (const [origin, path, what] of [
    [{ project }, `/api/projects/${project}`, 'project'],
    [{ template }, `/api/templates/${template}`, 'template'],
  ] as const) {
    const { id } = await quoted(customer, origin)
    t.is((await send('DELETE', path)).statusCode, 200)
    const refused = await post(`/api/quotes/${id}/render`)
    t.is(refused.statusCode, 409, refused.body)
    t.is(refused.json().code, 'quote_changed')
    t.regex(
      refused.json().message,
      new RegExp(`^The ${what} must be .* It was deleted since; save it`),
    )
  }
})

test('a quote whose price has risen is refused with both prices', async (t) => {
  const customer = await gateway.customer()
  const { id } = await quoted(customer)
  await sql`update quotes set credits = 1, credits_most = 1 where id = ${id}`.execute(gateway.db)
  const refused = await customer.post(`/api/quotes/${id}/render`)
  t.is(refused.json().code, 'quote_changed')
  t.regex(refused.json().message, /the quoted one, 1 credit\. It is 2 credits now/)
})

test('an expired quote is refused, and forgotten a day later if unused', async (t) => {
  const customer = await gateway.customer()
  const [used, { id }] = [await quoted(customer), await quoted(customer)]
  const bulk = await quoted(customer, { payload: film, items: [{}] })
  const renderedAs = async (quote: { readonly id: string }) =>
    (await customer.post(`/api/quotes/${quote.id}/render`)).json()
  const [job, bulked] = [await renderedAs(used), await renderedAs(bulk)]
  const age = (text: string) =>
    sql`update quotes set expires_at = now() - ${text}::interval
      where account_id = ${customer.accountId}`.execute(gateway.db)
  await age('1 second')
  const refused = await customer.post(`/api/quotes/${id}/render`)
  t.is(refused.statusCode, 410)
  t.is(refused.json().code, 'quote_expired')
  t.is((await customer.get(`/api/quotes/${id}`)).json().state, 'expired')
  t.is((await customer.post(`/api/quotes/${used.id}/render`)).statusCode, 202)
  await age('25 hours')
  await removeExpired({
    db: gateway.db,
    objects: { remove: async () => {}, removePrefix: async () => {} },
  })
  t.is((await customer.get(`/api/quotes/${id}`)).statusCode, 404)
  // A late retry gets what the quote made.
  t.deepEqual(await renderedAs(used), job)
  t.deepEqual(await renderedAs(bulk), bulked)
})

test('a foreign, guessed or malformed quote is not found', async (t) => {
  const [own, other] = [await gateway.customer(), await gateway.customer()]
  const { id } = await quoted(own)
  t.is((await other.post(`/api/quotes/${id}/render`)).statusCode, 404)
  t.is((await other.get(`/api/quotes/${id}`)).statusCode, 404)
  const guess = `${id.slice(0, -1)}${id.endsWith('A') ? 'B' : 'A'}`
  t.is((await own.get(`/api/quotes/${guess}`)).statusCode, 404)
  t.is((await own.get('/api/quotes/qt_1')).statusCode, 400)
})

test('an invalid quote request is refused by its field', async (t) => {
  const customer = await gateway.customer()
  const { id: project } = (
    await customer.post('/api/projects', { name: 'Broken', payload: { ...film, width: 0 } })
  ).json()
  for (const [body, status, field] of [
    [{}, 400, ''],
    [{ payload: film, project }, 400, ''],
    [{ project: 'prj_1' }, 400, 'project'],
    [{ project: `prj_${'0'.repeat(20)}` }, 404, undefined],
    [{ template: `tpl_${'0'.repeat(20)}` }, 404, undefined],
    [{ project }, 400, 'width'],
    [{ payload: film, jobId: randomUUID() }, 400, 'jobId'],
    [{ payload: film, colour: 1 }, 400, 'colour'],
    [{ payload: film, items: [] }, 400, 'items'],
    ['[]', 400, ''],
  ] as const) {
    const reply = await customer.post('/api/quotes', body)
    t.is(reply.statusCode, status, `${JSON.stringify(body)} ${reply.body}`)
    if (field !== undefined) t.is(reply.json().details[0].field, field)
  }
})

test('a quote beyond the balance is made, but its render is refused', async (t) => {
  const customer = await gateway.customer()
  await sql`update accounts set credits_balance = 1 where id = ${customer.accountId}`.execute(
    gateway.db,
  )
  const { id } = await quoted(customer)
  const refused = await customer.post(`/api/quotes/${id}/render`)
  t.is(refused.statusCode, 402)
  t.like(refused.json(), { creditsRequired: 2, creditsAvailable: 1 })
  await sql`update accounts set credits_balance = 2 where id = ${customer.accountId}`.execute(
    gateway.db,
  )
  t.is((await customer.post(`/api/quotes/${id}/render`)).statusCode, 202)
})

test('an account has at most two hundred open quotes', async (t) => {
  const customer = await gateway.customer()
  await quoted(customer)
  await sql`insert into quotes (id, account_id, act_id, request, credits, credits_most, exact, seconds, expires_at)
    select 'qt_' || translate(lpad(n::text, 20, '0'), '-', ''), ${customer.accountId}, gen_random_uuid(), '{}',
      1, 1, true, 1, now() + interval '1 minute' from generate_series(1, 199) as n`.execute(
    gateway.db,
  )
  const refused = await customer.post('/api/quotes', { payload: film })
  t.is(refused.statusCode, 429)
  t.regex(refused.json().message, /<= 200 quotes/)
})

test('a quote asked for twice under one Idempotency-Key is one quote', async (t) => {
  const { send } = await gateway.customer()
  const headers = { 'idempotency-key': randomUUID() }
  const [first, second] = [
    await send('POST', '/api/quotes', { payload: film }, headers),
    await send('POST', '/api/quotes', { payload: film }, headers),
  ]
  t.is(first.json().id, second.json().id)
})
