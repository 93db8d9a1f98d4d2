import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { bulkPath, card, completeJob, forWhom, submitBulk } from './submitted-bulk.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const failJob = async (accountId: string, jobId: string) =>
  await settleJob(gateway.db, {
    ...{ accountId, jobId, reason: 'test' },
    settlement: {
      to: 'failed',
      error: { code: 'media_unreachable', message: 'No such picture', details: [] },
    },
  })

type Listed = { readonly id: string; readonly name: string; readonly bulkIndex: number }
const shown = ({ name, bulkIndex }: Listed) => [name, bulkIndex]

test('failed items are a new bulk, each with its name and index', async (t) => {
  const { accountId, bulkId, jobIds, get, post } = await submitBulk(gateway)
  await completeJob(gateway, { accountId, jobId: jobIds[0] ?? '' })
  for (const jobId of jobIds.slice(1)) await failJob(accountId, jobId)
  const reply = await post(`/api/render/bulk/${bulkId}/retry`)
  t.is(reply.statusCode, 202, reply.body)
  const made = reply.json()
  t.like(made, { errors: [], creditsReserved: 4 })
  t.not(made.bulkId, bulkId)
  const bulk = (await get(`/api/render/bulk/${made.bulkId}`)).json()
  t.like(bulk, { name: 'party', state: 'running', items: 2, total: 2, creditsReserved: 4 })
  t.deepEqual(bulk.jobs.map(shown), [
    ['Bob', 1],
    ['Cleo', 2],
  ])
  t.deepEqual(
    made.jobIds,
    bulk.jobs.map(({ id }: Listed) => id),
  )
  const request = (await get(`/api/jobs/${made.jobIds[0]}/request`)).json()
  t.like(request, { variables: { who: 'Bob' }, overrides: { name: 'Bob' } })
  const before = await get(`/api/render/bulk/${bulkId}`)
  t.like(before.json().counts, { completed: 1, failed: 2, queued: 0 })
})

test('cancelled items and single jobs are rendered again where asked for', async (t) => {
  const { accountId, bulkId, jobIds, get, post } = await submitBulk(gateway)
  await failJob(accountId, jobIds[0] ?? '')
  await post(`/api/render/bulk/${bulkId}/cancel`)
  const again = async (body: object) => {
    const made = (await post(`/api/render/bulk/${bulkId}/retry`, body)).json()
    const { jobs } = (await get(`/api/render/bulk/${made.bulkId}`)).json()
    return jobs.map(({ name }: Listed) => name)
  }
  t.deepEqual(await again({}), ['Ada'])
  t.deepEqual(await again({ states: ['cancelled'] }), ['Bob', 'Cleo'])
  t.deepEqual(await again({ states: ['failed', 'cancelled'] }), ['Ada', 'Bob', 'Cleo'])
  t.deepEqual(await again({ states: ['cancelled'], jobIds: [jobIds[2]?.toUpperCase()] }), ['Cleo'])
})

test('a bulk without failed jobs is refused, as are wrong bodies', async (t) => {
  const { bulkId, jobIds, post } = await submitBulk(gateway)
  const path = `/api/render/bulk/${bulkId}/retry`
  const none = await post(path)
  t.is(none.statusCode, 409)
  t.regex(none.json().message, /must have jobs that are failed .* It has none/)
  const other = await post(path, { states: ['failed', 'cancelled'], jobIds: [jobIds[0]] })
  t.is(other.statusCode, 409)
  for (const body of [{ states: [] }, { states: ['queued'] }, { jobIds: ['7'] }, { all: true }]) {
    t.is((await post(path, body)).statusCode, 400, JSON.stringify(body))
  }
})

test('a repeated request under one key makes one bulk', async (t) => {
  const { accountId, bulkId, jobIds, get, send } = await submitBulk(gateway)
  await failJob(accountId, jobIds[1] ?? '')
  const headers = { 'idempotency-key': randomUUID() }
  const path = `/api/render/bulk/${bulkId}/retry`
  const first = await send('POST', path, undefined, headers)
  const second = await send('POST', path, undefined, headers)
  t.deepEqual(second.json(), first.json())
  t.is((await get('/api/render/bulk')).json().total, 2)
})

test('what is rendered again is charged by today’s rules', async (t) => {
  const { accountId, bulkId, jobIds, post } = await submitBulk(gateway, 6)
  for (const jobId of jobIds) await failJob(accountId, jobId)
  const other = (await post(bulkPath, { payload: card, items: forWhom('Zed') })).json()
  const refused = await post(`/api/render/bulk/${bulkId}/retry`)
  t.is(refused.statusCode, 402)
  t.like(refused.json(), { creditsRequired: 6, creditsAvailable: 4 })
  await post(`/api/render/bulk/${other.bulkId}/cancel`)
  t.is((await post(`/api/render/bulk/${bulkId}/retry`)).statusCode, 202)
})

test('a foreign bulk is unknown, and a key needs its scope', async (t) => {
  const { accountId, bulkId, jobIds } = await submitBulk(gateway)
  await failJob(accountId, jobIds[0] ?? '')
  const stranger = await gateway.customer()
  t.is((await stranger.post(`/api/render/bulk/${bulkId}/retry`)).statusCode, 404)
  const { key } = await createKey(gateway.db, { accountId, name: 'reader', scopes: ['jobs'] })
  const reply = await gateway.server.inject({
    ...{ method: 'POST', url: `/api/render/bulk/${bulkId}/retry` },
    headers: { 'x-api-key': key },
  })
  t.is(reply.statusCode, 403)
})

test('an item of a template keeps the payload that it had', async (t) => {
  const { accountId, get, post, send } = await gateway.customer()
  const scenes = [{ duration: 1, visuals: card.visuals }]
  const payload = { variables: card.variables, scenes }
  const { id: template } = (await post('/api/templates', { name: 'cards', payload })).json()
  const made = (await post(bulkPath, { template, items: forWhom('Ada') })).json()
  await failJob(accountId, made.jobIds[0])
  await send('DELETE', `/api/templates/${template}`)
  const again = (await post(`/api/render/bulk/${made.bulkId}/retry`)).json()
  const job = (await get(`/api/jobs/${again.jobIds[0]}`)).json()
  t.like(job, { templateId: template, name: 'Ada', state: 'queued' })
})
