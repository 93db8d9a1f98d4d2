import test from 'ava'
import { parse } from 'csv-parse/sync'
import { type Gateway, startGateway } from '../gateway.ts'
import {
  bulkPath,
  card,
  completeJob,
  forWhom,
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

test('each job is charged or released alone, and ledger and balance agree', async (t) => {
  const { accountId, bulkId, jobIds, get, post } = await submitted(10)
  const [first = '', second = ''] = jobIds
  await complete(accountId, first)
  await post(`/api/jobs/${second}/cancel`)
  const bulk = (await get(`/api/render/bulk/${bulkId}`)).json()
  t.like(bulk, { state: 'running', progress: 66, creditsReserved: 2, creditsCharged: 2 })
  t.like(bulk.counts, { completed: 1, cancelled: 1, queued: 1 })
  t.deepEqual(await kindsOfEntries(bulkId, jobIds), ['hold', 'capture', 'release'])
  t.deepEqual((await get('/api/credits/balance')).json(), {
    ...{ balance: 8, reserved: 2, available: 6 },
  })
  const completed = (await get(`/api/render/bulk/${bulkId}?state=completed`)).json()
  t.deepEqual([completed.total, completed.jobs[0].id], [1, first])
})

test('cancelling a bulk ends all open jobs and releases what it held', async (t) => {
  const { accountId, bulkId, jobIds, get, post } = await submitted(10)
  await complete(accountId, jobIds[0] ?? '')
  const reply = await post(`/api/render/bulk/${bulkId}/cancel`)
  t.is(reply.statusCode, 200)
  t.like(reply.json(), { state: 'finished', progress: 100, creditsReserved: 0, creditsCharged: 2 })
  t.like(reply.json().counts, { completed: 1, cancelled: 2 })
  t.deepEqual((await post(`/api/render/bulk/${bulkId}/cancel`)).json(), reply.json())
  t.deepEqual((await get('/api/credits/balance')).json(), {
    ...{ balance: 8, reserved: 0, available: 8 },
  })
})

test('results have a row for each item, as JSON and formula-free CSV', async (t) => {
  const names = ['=HYPERLINK("http://evil","x")', 'Zoë, "the\nsecond"', '@sum', '-1', '+1']
  const items = [...forWhom(...names), { variables: {} }]
  const { accountId, bulkId, jobIds, get } = await submitted(100, items)
  await complete(accountId, jobIds[1] ?? '')
  const path = `/api/render/bulk/${bulkId}/results`
  const { results } = (await get(path)).json()
  t.deepEqual(
    results.map((row: Record<string, unknown>) => [row.index, row.jobId, row.name, row.state]),
    [
      ...names.map((name, i) => [i, jobIds[i], name, i === 1 ? 'completed' : 'queued']),
      [5, null, null, 'refused'],
    ],
  )
  t.like(results[1], { duration: 2, size: 9, creditsCharged: 2, error: null, format: 'mp4' })
  t.regex(results[1].url, /^https:\/\/farm\.example\.com\//)
  t.regex(results[5].error, /^visuals\[0\]\.html: The variable "who" is not defined/)
  const reply = await get(`${path}?format=csv`)
  t.is(reply.headers['content-type'], 'text/csv; charset=utf-8')
  t.is(reply.headers['content-disposition'], `attachment; filename="${bulkId}.csv"`)
  const rows: string[][] = parse(reply.body)
  t.deepEqual(rows[0]?.slice(0, 5), ['index', 'jobId', 'name', 'state', 'url'])
  t.is(rows.length, 7)
  const cells = rows.flat()
  t.false(cells.some((cell) => /^[=+\-@\t\r]/.test(cell)))
  t.is(rows[2]?.[2], names[1])
  t.is((await get(`${path}?format=xml`)).statusCode, 400)
})

test('bulks are listed newest first, and another account sees none of them', async (t) => {
  const { bulkId, jobIds, post, get } = await submitted()
  const later = (await post(bulkPath, { payload: card, items: forWhom('Zed') })).json()
  const list = (await get('/api/render/bulk')).json()
  t.deepEqual(
    list.bulks.map((bulk: { bulkId: string }) => bulk.bulkId),
    [later.bulkId, bulkId],
  )
  t.is((await get('/api/render/bulk?pageSize=1&page=2')).json().bulks[0].bulkId, bulkId)
  const other = await gateway.customer()
  t.is((await other.get('/api/render/bulk')).json().total, 0)
  for (const path of ['', '/results', '/results?format=csv']) {
    t.is((await other.get(`/api/render/bulk/${bulkId}${path}`)).statusCode, 404)
    t.is((await get(`/api/render/bulk/blk_1${path}`)).statusCode, 400)
  }
  t.is((await other.post(`/api/render/bulk/${bulkId}/cancel`)).statusCode, 404)
  const first = (await get(`/api/jobs/${jobIds[0]}`)).json()
  t.is(first.state, 'queued')
  t.like(first.waiting, { reason: 'not_started', share: null, jobs: [] })
})
