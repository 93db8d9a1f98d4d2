import test from 'ava'
import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { createFarmClient } from '../../../client/farm-client.ts'
import { grantCredits } from '../../../store/db/accounts/grant-credits.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const path = '/api/credits/transactions.csv'

const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true })

test('the ledger is downloaded with every entry, newest first', async (t) => {
  const customer = await gateway.customer(50)
  const { jobId } = (await customer.post(renderPath, requestOf())).json()
  await customer.post(`/api/jobs/${jobId}/cancel`)
  const reply = await customer.get(path)
  t.is(reply.headers['content-type'], 'text/csv; charset=utf-8')
  t.is(reply.headers['content-disposition'], 'attachment; filename="transactions.csv"')
  const rows = rowsOf(reply.body)
  t.deepEqual(
    rows.map(({ kind, jobId: of, balanceChange, reservedChange }) => [
      ...[kind, of, balanceChange, reservedChange],
    ]),
    [
      ['release', jobId, '0', '-2'],
      ['hold', jobId, '0', '2'],
      ['grant', '', '50', '0'],
    ],
  )
  t.true(rows.every(({ createdAt }) => Number.isFinite(Date.parse(createdAt ?? ''))))
})

test('each row of the downloaded ledger has the balance after it', async (t) => {
  const { accountId, get, post } = await gateway.customer(50)
  const { jobId } = (await post(renderPath, requestOf())).json()
  await post(`/api/jobs/${jobId}/cancel`)
  await grantCredits(gateway.db, { accountId, credits: 7, note: 'a present' })
  const balances = async (query: string) =>
    rowsOf((await get(path + query)).body).map(({ balance }) => balance)
  t.deepEqual(await balances(''), ['57', '50', '50', '50'])
  t.deepEqual(await balances('?kind=grant'), ['57', '50'])
  t.is((await get(path)).body.split('\r\n')[0]?.split(',').at(-1), '"balance"')
})

test('balances go on over the readings of a long ledger', async (t) => {
  const { accountId, get } = await gateway.customer(1)
  const { db } = gateway
  await sql`
    insert into credit_entries (account_id, kind, balance_change, reserved_change, note)
    select ${accountId}, case when n % 3 = 0 then 'correction' else 'grant' end, 1, 0, n::text
    from generate_series(1, 3500) as n`.execute(db)
  await sql`update accounts set credits_balance = 3501 where id = ${accountId}`.execute(db)
  const all = rowsOf((await get(path)).body)
  t.deepEqual(
    all.map(({ balance }) => Number(balance)),
    Array.from({ length: 3501 }, (_, i) => 3501 - i),
  )
  const grants = rowsOf((await get(`${path}?kind=grant`)).body).slice(0, -1)
  t.true(grants.length > 2000)
  t.true(grants.every(({ note, balance }) => Number(balance) === Number(note) + 1))
})

test('the downloaded ledger follows kind and times', async (t) => {
  const { get, post } = await gateway.customer(50)
  await post(renderPath, requestOf())
  t.deepEqual(
    rowsOf((await get(`${path}?kind=hold`)).body).map(({ kind }) => kind),
    ['hold'],
  )
  t.is(rowsOf((await get(`${path}?to=2020-01-01T00:00:00Z`)).body).length, 0)
  t.is((await get(`${path}?kind=gift`)).json().details[0].field, 'kind')
})

test('a ledger longer than one reading is whole and in order', async (t) => {
  const { accountId, get } = await gateway.customer(1)
  await sql`
    insert into credit_entries (account_id, kind, balance_change, reserved_change, note)
    select ${accountId}, 'grant', 0, 0, n::text from generate_series(1, 2500) as n`.execute(
    gateway.db,
  )
  const rows = rowsOf((await get(path)).body)
  t.is(rows.length, 2501)
  t.deepEqual(
    rows.slice(0, 2500).map(({ note }) => Number(note)),
    Array.from({ length: 2500 }, (_, i) => 2500 - i),
  )
})

test('a note like a formula is none in a spreadsheet', async (t) => {
  const { accountId, get } = await gateway.customer()
  await grantCredits(gateway.db, { accountId, credits: 1, note: '=HYPERLINK("x";"y")' })
  t.is(rowsOf((await get(path)).body)[0]?.note, `'=HYPERLINK("x";"y")`)
})

test('a ledger is its account’s own, also for the client', async (t) => {
  const { key } = await gateway.customer(7)
  await gateway.customer(8)
  const url = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  const text = await createFarmClient({ url, apiKey: key }).credits.transactionsCsv()
  t.deepEqual(
    rowsOf(text).map(({ balanceChange }) => balanceChange),
    ['7'],
  )
})
