import test from 'ava'
import { startGateway } from '../gateway.ts'
import { addOperator, callsAs } from './operators.ts'

const gateway = await startGateway({ operatorApi: 'on' })
const { headers, email } = await addOperator(gateway, 'admin')
test.after.always(() => gateway.stop())
const { get, post } = callsAs(gateway, headers)
const why = 'they asked for it'
const still = { type: 'image', width: 64, height: 64, visuals: [{ type: 'TEXT', text: 'a' }] }

test('a customer is told that a budget refuses, and until which day', async (t) => {
  const { accountId, key } = await gateway.customer()
  const submit = () =>
    gateway.server.inject({
      ...{ method: 'POST', url: '/api/render/api-key', payload: { payload: still } },
      headers: { 'x-api-key': key },
    })
  t.is((await submit()).statusCode, 202)
  const set = await post(`/accounts/${accountId}/budget`, { credits: 1, stops: true, why })
  t.like(set.json(), { accountId, credits: 1, spent: 1, stops: true, madeBy: email })
  const refused = await submit()
  t.is(refused.statusCode, 402)
  t.regex(
    refused.json().message,
    /monthly budget.* Got 1 credit, but it is spent until \d{4}-\d\d-01/,
  )
  t.is(refused.json().details[0].field, 'budget')
  const bulk = await gateway.server.inject({
    ...{ method: 'POST', url: '/api/render/bulk/api-key', headers: { 'x-api-key': key } },
    payload: { payload: still, items: [{ variables: {} }] },
  })
  t.is(bulk.statusCode, 402)
  t.is(bulk.json().details[0].field, 'budget')
  await post(`/accounts/${accountId}/budget/remove`, { why })
  t.is((await submit()).statusCode, 202)
})

test('budgets are listed by the share that is spent', async (t) => {
  const { accountId } = await gateway.customer()
  await post(`/accounts/${accountId}/budget`, { credits: 1_000, why })
  const { budgets } = (await get('/budgets')).json()
  t.like(
    budgets.find((each: { accountId: string }) => each.accountId === accountId),
    {
      ...{ credits: 1_000, spent: 0, stops: false },
    },
  )
  const removed = await post(`/accounts/${accountId}/budget/remove`, { why })
  t.is(removed.statusCode, 200)
  t.is((await post(`/accounts/${accountId}/budget/remove`, { why })).statusCode, 404)
})
