import { randomUUID } from 'node:crypto'
import test from 'ava'
import { addNode } from '../../store/database.ts'
import { startGateway } from '../gateway.ts'
import { addOperator, callsAs } from './operators.ts'

const gateway = await startGateway({ operatorApi: 'on' })
const { headers, email } = await addOperator(gateway, 'operator')
test.after.always(() => gateway.stop())
const { get, post } = callsAs(gateway, headers)
const why = 'new disks'
const [from, to] = ['2998-01-31T22:00:00+02:00', '2998-02-01T02:00:00+02:00']

test('a window names one node or pool, and ends after its beginning', async (t) => {
  const node = await addNode(gateway.db)
  const wrong: readonly [object, RegExp][] = [
    [{ to }, /node or pool must say what is maintained, one of them\. Got neither/],
    [{ node, pool: 'gpu', to }, /Got both/],
    [{ node, from: to, to: from }, /to must be in the future and after from/],
    [{ node, to: '2020-01-01T00:00:00Z' }, /to must be in the future/],
    [{ node, to: '2998-01-31T22:00:00' }, /to must be a time with its zone/],
    [
      { node, from: '2998-02-31T00:00:00Z', to: '2998-19-01T00:00:00Z' },
      /to must be in the future/,
    ],
  ]
  for (const [body, said] of wrong) {
    const refused = await post('/maintenance', { ...body, why })
    t.true(refused.statusCode >= 400 && refused.statusCode < 500, refused.body)
    t.regex(refused.json().message, said)
  }
  t.is((await post('/maintenance', { node: 'no such', to, why })).statusCode, 404)
})

test('a window is shown in UTC with its reason, and cancelled once', async (t) => {
  const node = await addNode(gateway.db)
  const added = (await post('/maintenance', { node, from, to, why })).json()
  t.like(added, { nodeId: node, pool: null, why, madeBy: email, cordoned: 0, beganAt: null })
  t.is(added.startsAt, '2998-01-31T20:00:00.000Z')
  const listed = (await get('/maintenance')).json().windows
  t.deepEqual(
    listed.filter(({ id }: { id: string }) => id === added.id),
    [added],
  )
  const cancelled = (await post(`/maintenance/${added.id}/cancel`, { why })).json()
  t.truthy(cancelled.cancelledAt)
  t.is((await post(`/maintenance/${added.id}/cancel`, { why })).statusCode, 409)
  t.is((await post(`/maintenance/${randomUUID()}/cancel`, { why })).statusCode, 404)
})
