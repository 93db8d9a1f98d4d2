import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import { cancelBulk } from '../../../store/db/bulks/cancel-bulk.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'
import {
  bulkPath,
  card,
  completeJob,
  type Fault,
  forWhom,
  type ItemError,
  listEntryKinds,
  submitBulk,
} from './submitted-bulk.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const submitted = async (credits?: number, items?: readonly unknown[]) =>
  await submitBulk(gateway, credits, items)
const complete = async (accountId: string, jobId: string) =>
  await completeJob(gateway, { accountId, jobId })
const kindsOfEntries = async (bulkId: string, jobIds: string[]) =>
  await listEntryKinds(gateway, { bulkId, jobIds })

test('every item is its own job, in order, under one hold', async (t) => {
  const { reply, bulkId, jobIds, get } = await submitted(10)
  t.is(reply.statusCode, 202)
  t.regex(bulkId, /^blk_[0-9A-Za-z]{20}$/)
  t.like(reply.json(), { errors: [], creditsReserved: 6 })
  const bulk = (await get(`/api/render/bulk/${bulkId}`)).json()
  t.like(bulk, { bulkId, name: 'party', state: 'running', progress: 0, items: 3, total: 3 })
  t.is(bulk.counts.queued, 3)
  t.deepEqual(
    bulk.jobs.map((job: Record<string, unknown>) => [job.id, job.name, job.bulkId, job.bulkIndex]),
    ['Ada', 'Bob', 'Cleo'].map((name, i) => [jobIds[i], name, bulkId, i]),
  )
  const { available } = (await get('/api/credits/balance')).json()
  t.is(available, 4)
  t.deepEqual(await kindsOfEntries(bulkId, jobIds), ['hold'])
})

test('wrong items come back by index, and the others are queued', async (t) => {
  const items = [
    ...forWhom('Ada'),
    { variables: { greeting: 'Hi' } },
    { variables: { who: 'Bob' }, color: 'red' },
    'Cleo',
    { variables: { who: '<script>' } },
    { variables: { who: 'D' }, jobId: 'seven' },
    ...forWhom('Eve'),
  ]
  const { reply, jobIds, errors, bulkId, get } = await submitted(100, items)
  t.is(reply.statusCode, 202)
  t.is(jobIds.length, 2)
  t.deepEqual(
    errors.map(({ index, details }) => [index, details[0]?.field, details[0]?.code]),
    [
      [1, 'visuals[0].html', 'invalid_project'],
      [2, 'color', 'invalid_request'],
      [3, '', 'invalid_request'],
      [4, 'visuals[0].html', 'invalid_project'],
      [5, 'jobId', 'invalid_request'],
    ],
  )
  t.regex(errors[0]?.details[0]?.message ?? '', /The variable "who" is not defined/)
  const bulk = (await get(`/api/render/bulk/${bulkId}`)).json()
  t.deepEqual(bulk.errors, errors)
  t.deepEqual([bulk.items, bulk.total], [7, 2])
  t.deepEqual(
    bulk.jobs.map(({ bulkIndex }: { bulkIndex: number }) => bulkIndex),
    [0, 6],
  )
})

test('an item’s variables lie over the bulk’s, its name over the overrides', async (t) => {
  const { post, get } = await gateway.customer()
  const reply = await post(bulkPath, {
    payload: card,
    variables: { greeting: 'Hey', who: 'all' },
    overrides: { name: 'base', width: 640 },
    items: [{}, { variables: { who: 'Ada' }, name: 'for Ada' }],
  })
  t.is(reply.statusCode, 202)
  const { jobs } = (await get(`/api/render/bulk/${reply.json().bulkId}`)).json()
  t.deepEqual(
    jobs.map(({ name }: { name: string }) => name),
    ['base', 'for Ada'],
  )
})

test('the answer has each warning of accepted items once, with its count', async (t) => {
  const { post } = await gateway.customer()
  const of = async (body: object) => (await post(bulkPath, body)).json().warnings
  const items = [
    { variables: { hwo: 'x' } },
    { variables: { who: 'Ada', grreting: 'Hi' } },
    { variables: { who: 'Bob', grreting: 'Hey', zzz: 1 } },
  ]
  t.deepEqual(await of({ payload: card, items: forWhom('Ada') }), [])
  t.deepEqual(await of({ payload: card, items }), [
    {
      ...{ field: 'variables.grreting', pointer: '/items/1/variables/grreting' },
      ...{ code: 'unused_variable', items: 2 },
      message: 'The project does not use the variable "grreting". Did you mean "greeting"?',
    },
    {
      ...{ field: 'variables.zzz', pointer: '/items/2/variables/zzz' },
      ...{ code: 'unused_variable', items: 1 },
      message: 'The project does not use the variable "zzz".',
    },
  ])
  const common = await of({
    payload: card,
    variables: { hey: 1 },
    items: forWhom('A', 'B'),
  })
  t.like(common, [{ pointer: '/variables/hey', items: 2 }])
})

test('a bulk without a name is named by its common part', async (t) => {
  const { post, get } = await gateway.customer()
  const nameOf = async (body: object) => {
    const { bulkId } = (await post(bulkPath, { items: forWhom('Ada', 'Bob'), ...body })).json()
    return (await get(`/api/render/bulk/${bulkId}`)).json().name
  }
  const scenes = [{ duration: 1, visuals: card.visuals }]
  const stored = { name: 'party cards', payload: { variables: card.variables, scenes } }
  const { id: template } = (await post('/api/templates', stored)).json()
  t.is(await nameOf({ payload: { ...card, name: undefined } }), 'bulk of 2')
  t.is(await nameOf({ payload: { ...card, name: 'for {{ who }}' } }), 'bulk of 2')
  t.is(await nameOf({ payload: { ...card, name: 'cards' } }), 'cards')
  t.is(await nameOf({ payload: { ...card, name: 'cards' }, overrides: { name: 'all' } }), 'all')
  t.is(await nameOf({ template }), 'party cards')
})

test('a callback gets an event for each of the bulk’s jobs', async (t) => {
  const { accountId, post } = await gateway.customer()
  const webhookUrl = 'https://hooks.example.com/done'
  const items = forWhom('Ada', 'Bob')
  const { jobIds } = (await post(bulkPath, { payload: card, items, webhookUrl })).json()
  for (const jobId of jobIds) await complete(accountId, jobId)
  const told = await gateway.db
    .selectFrom('webhook_deliveries')
    .select(['job_id', 'url'])
    .where('account_id', '=', accountId)
    .orderBy('job_id')
    .execute()
  t.deepEqual(
    told,
    jobIds.toSorted().map((job_id: string) => ({ job_id, url: webhookUrl })),
  )
})

test('faults of the common part refuse the whole bulk at once', async (t) => {
  const { post } = await gateway.customer()
  const payload = { ...card, frameRate: 99 }
  const reply = await post(bulkPath, { payload, items: [], colour: 1 })
  t.is(reply.statusCode, 400)
  const fields = reply.json().details.map(({ field }: Fault) => field)
  t.deepEqual(fields.sort(), ['colour', 'frameRate', 'items'])
  for (const body of [{}, [], { payload: card }, { items: [{}] }]) {
    t.is((await post(bulkPath, body)).statusCode, 400, JSON.stringify(body))
  }
  t.regex((await post(bulkPath, {})).json().message, /2 errors; the first: Exactly one of payload/)
})

test('when no item is valid nothing is made, and each is named', async (t) => {
  const { reply, get } = await submitted(100, [{ variables: { greeting: 'Hi' } }, { name: 'x' }])
  t.is(reply.statusCode, 422)
  const { errors, details, code } = reply.json()
  t.is(code, 'invalid_project')
  t.deepEqual(
    errors.map(({ index }: ItemError) => index),
    [0, 1],
  )
  t.is(details.length, 1)
  t.is((await get('/api/render/bulk')).json().total, 0)
  t.is((await get('/api/jobs')).json().total, 0)
})

test('text that no row can hold refuses its item only', async (t) => {
  const { post } = await gateway.customer()
  const half = `${'n'.repeat(98)}😀${'n'.repeat(20)}`
  const items = [{ variables: { who: 'Ada' } }, { variables: { who: 'A\0' } }, { [half]: 1 }]
  const reply = await post(bulkPath, { payload: card, items })
  t.is(reply.statusCode, 202)
  const fields = reply
    .json()
    .errors.map(({ index, details }: { index: number; details: { field: string }[] }) => [
      index,
      details.map(({ field }) => field.slice(0, 13)),
    ])
  t.deepEqual(fields, [
    [1, ['variables.who']],
    [2, ['n'.repeat(13)]],
  ])
})

test('a job id used here or before refuses its item only', async (t) => {
  const stranger = await gateway.customer()
  const used = requestOf()
  await stranger.post(renderPath, used)
  const jobId = randomUUID()
  const items = [
    { jobId, variables: { who: 'first' } },
    { jobId: jobId.toUpperCase(), variables: { who: 'twin' } },
    { jobId: used.jobId, variables: { who: 'late' } },
  ]
  const { reply, jobIds, errors, post, bulkId, get } = await submitted(100, items)
  t.is(reply.statusCode, 202)
  t.deepEqual(jobIds, [jobId])
  t.is(reply.json().creditsReserved, 2)
  t.deepEqual(
    errors.map(({ index, details }) => [index, details[0]?.field, details[0]?.code]),
    [
      [1, 'jobId', 'conflict'],
      [2, 'jobId', 'conflict'],
    ],
  )
  t.deepEqual((await get(`/api/render/bulk/${bulkId}`)).json().errors, errors)
  const again = await post(bulkPath, { payload: card, items: items.slice(2) })
  t.is(again.statusCode, 409)
  t.is(again.json().errors.length, 1)
})

test('a bulk that the account cannot wholly pay for holds nothing', async (t) => {
  const { reply, get } = await submitted(5)
  t.is(reply.statusCode, 402)
  t.like(reply.json(), { creditsRequired: 6, creditsAvailable: 5 })
  t.is((await get('/api/jobs')).json().total, 0)
  t.deepEqual((await get('/api/credits/balance')).json(), {
    ...{ balance: 5, reserved: 0, available: 5 },
  })
})

test('a key’s cap covers the whole bulk and is credited on cancellation', async (t) => {
  const { accountId, get } = await gateway.customer()
  const capped = await createKey(gateway.db, { accountId, name: 'capped', creditCap: 7 })
  const submit = async (...names: string[]) =>
    await gateway.server.inject({
      ...{ method: 'POST', url: bulkPath },
      headers: { 'x-api-key': capped.key, 'content-type': 'application/json' },
      payload: JSON.stringify({ payload: card, items: forWhom(...names) }),
    })
  const { bulkId } = (await submit('Ada', 'Bob')).json()
  const reply = await submit('Cleo', 'Dan')
  t.is(reply.statusCode, 402)
  t.like(reply.json(), { creditsRequired: 4, creditsAvailable: 3 })
  t.is((await get('/api/render/bulk')).json().total, 1)
  await cancelBulk(gateway.db, { accountId, bulkId, reason: 'test' })
  t.is((await submit('Cleo', 'Dan', 'Eve')).statusCode, 202)
})

test('more items than the plan allows are refused with the plan’s limits', async (t) => {
  const items = forWhom(...Array.from({ length: 51 }, (_, i) => `guest ${i}`))
  const { reply } = await submitted(1000, items)
  t.is(reply.statusCode, 422)
  t.like(reply.json(), { code: 'plan_limit', planLimits: { bulkItems: 50 } })
})

test.serial('a queued job counts only jobs that delay it', async (t) => {
  const one = await gateway.customer()
  const before = (await one.post(renderPath, requestOf())).json().queuePosition
  await submitted()
  t.is((await one.post(renderPath, requestOf())).json().queuePosition, before + 1)
})

test('500 items are answered with 500 jobs; others are answered in between', async (t) => {
  const customer = await gateway.customer(1000)
  await gateway.db
    .updateTable('accounts')
    .set({ plan: 'studio' })
    .where('id', '=', customer.accountId)
    .execute()
  const items = forWhom(...Array.from({ length: 500 }, (_, i) => `guest ${i}`))
  const order: string[] = []
  const bulk = customer.post(bulkPath, { payload: card, items })
  void bulk.then(() => order.push('bulk'))
  const single = customer.get('/api/credits/balance')
  void single.then(() => order.push('single'))
  const reply = await bulk
  await single
  t.is(reply.statusCode, 202)
  t.is(new Set(reply.json().jobIds).size, 500)
  t.is(reply.json().creditsReserved, 1000)
  t.deepEqual(order, ['single', 'bulk'])
})

test('the path for submitting bulks is no bulk of that id', async (t) => {
  const { get, send } = await gateway.customer()
  for (const reply of [await get(bulkPath), await send('DELETE', bulkPath)]) {
    t.deepEqual([reply.statusCode, reply.headers.allow], [405, 'POST'])
  }
  t.is((await get('/api/render/bulk/none')).statusCode, 400)
})
