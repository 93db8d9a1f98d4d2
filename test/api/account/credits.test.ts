import test from 'ava'
import { grantCredits } from '../../../store/db/accounts/grant-credits.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { film, type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

type Customer = Awaited<ReturnType<Gateway['customer']>>

/** A job of two credits that was rendered, or that failed. */
async function endedJob({ post, accountId }: Customer, to: 'completed' | 'failed') {
  const { jobId } = (await post(renderPath, requestOf())).json()
  await gateway.db.updateTable('jobs').set({ state: 'rendering' }).where('id', '=', jobId).execute()
  const result = { duration: 1.5, size: 1, width: film.width, height: film.height }
  const error = { code: 'internal', message: 'x', details: [] } as const
  const settlement =
    to === 'failed'
      ? { to, error }
      : ({
          to,
          result,
          outputKey: 'x',
          thumbnailKey: null,
          links: { url: 'https://example.com/x', thumbnailUrl: null },
        } as const)
  await settleJob(gateway.db, { accountId, jobId, reason: 'test', settlement })
  return jobId
}

test('the ledger is listed newest first, by page, kind and time', async (t) => {
  const customer = await gateway.customer(100)
  const { get, accountId } = customer
  const jobId = await endedJob(customer, 'completed')
  await endedJob(customer, 'failed')
  const before = new Date().toISOString()
  await grantCredits(gateway.db, { accountId, credits: 5, note: 'a present' })
  const list = async (query: string) => (await get(`/api/credits/transactions?${query}`)).json()
  const kinds = async (query: string) =>
    (await list(query)).transactions.map(({ kind }: { kind: string }) => kind)
  t.deepEqual(await kinds(''), ['grant', 'release', 'hold', 'capture', 'hold', 'grant'])
  t.deepEqual(await kinds('page=2&pageSize=4'), ['hold', 'grant'])
  t.deepEqual(await kinds(`from=${before}`), ['grant'])
  t.deepEqual(await kinds(`kind=hold&to=${before}`), ['hold', 'hold'])
  const captured = await list('kind=capture')
  t.is(captured.total, 1)
  t.like(captured.transactions[0], { jobId, balanceChange: -2, reservedChange: -2, note: '' })
  const sum = (await list('pageSize=100')).transactions.reduce(
    (total: number, entry: { balanceChange: number }) => total + entry.balanceChange,
    0,
  )
  t.is(sum, (await get('/api/credits/balance')).json().balance)
  for (const query of ['kind=gift', 'from=yesterday', 'to=2026-02-31T99:00:00Z', 'page=0']) {
    const reply = await get(`/api/credits/transactions?${query}`)
    t.is(reply.statusCode, 400, query)
    t.is(reply.json().details[0].field, query.split('=')[0])
  }
})

test('each entry tells the balance after it, on any page and filter', async (t) => {
  const customer = await gateway.customer(100)
  const { get, accountId } = customer
  await endedJob(customer, 'completed')
  await endedJob(customer, 'failed')
  await grantCredits(gateway.db, { accountId, credits: 5, note: 'a present' })
  const balances = async (query: string) =>
    (await get(`/api/credits/transactions?${query}`))
      .json()
      .transactions.map(({ balance }: { balance: number }) => balance)
  t.deepEqual(await balances(''), [103, 98, 98, 98, 100, 100])
  t.deepEqual(await balances('page=2&pageSize=2'), [98, 98])
  t.deepEqual(await balances('page=3&pageSize=2'), [100, 100])
  t.deepEqual(await balances('kind=grant'), [103, 100])
  t.deepEqual(await balances('kind=capture'), [98])
  t.deepEqual(await balances('page=9'), [])
})

test('usage is listed by day: ended jobs, credits, seconds of film', async (t) => {
  const customer = await gateway.customer(100)
  await endedJob(customer, 'completed')
  await endedJob(customer, 'completed')
  await endedJob(customer, 'failed')
  const usage = (await customer.get('/api/credits/usage-stats?days=1')).json()
  const day = { jobs: 3, completed: 2, credits: 4, seconds: 3 }
  const date = new Date().toISOString().slice(0, 10)
  t.deepEqual(usage, { ...day, days: [{ date, ...day }] })
  t.deepEqual((await (await gateway.customer()).get('/api/credits/usage-stats')).json().days, [])
})

test('an estimate itemizes what a submission then holds, and creates nothing', async (t) => {
  const { post, get } = await gateway.customer(1000)
  const large = { ...film, width: 1920, height: 1920, duration: 2.5 }
  const estimate = (await post('/api/credits/estimate', requestOf(large))).json()
  t.deepEqual(estimate, {
    creditsRequired: 12,
    creditsMost: 12,
    exact: true,
    duration: 2.5,
    frames: 75,
    breakdown: [
      { item: 'seconds of film', quantity: 3, creditsEach: 1, credits: 3 },
      {
        item: 'seconds with more than 2073600 pixels a frame',
        ...{ quantity: 3, creditsEach: 3, credits: 9 },
      },
    ],
  })
  t.is((await get('/api/jobs')).json().total, 0)
  t.is((await post(renderPath, requestOf(large))).json().creditsReserved, 12)
  const still = { type: 'image', visuals: film.visuals }
  t.like((await post('/api/credits/estimate', requestOf(still))).json(), {
    ...{ creditsRequired: 1, duration: 0, frames: 1 },
    breakdown: [{ item: 'image', quantity: 1, creditsEach: 1, credits: 1 }],
  })
  const open = { scenes: [{ audios: [{ src: 'https://example.com/a.mp3' }] }] }
  t.like((await post('/api/credits/estimate', requestOf(open))).json(), {
    ...{ creditsRequired: 1, creditsMost: 300, exact: false, duration: 0.1 },
  })
  t.is((await post('/api/credits/estimate', { payload: { duration: 'long' } })).statusCode, 400)
})

test('a small account may submit a clip-length film and holds one credit', async (t) => {
  const { post } = await gateway.customer(17)
  const clip = { type: 'VIDEO', src: 'https://example.com/v.mp4' }
  const body = { payload: { scenes: [{ duration: -1, visuals: [clip] }] } }
  const verdict = (await post('/api/render/validate/api-key', body)).json()
  t.like(verdict, { creditsRequired: 1, creditsMost: 300, exact: false, duration: 0.1 })
  const submitted = await post(renderPath, body)
  t.is(submitted.statusCode, 202)
  t.is(submitted.json().creditsReserved, 1)
})
