import test from 'ava'
import { operatorOperations } from '../../../operator/operations.ts'
import { startGateway } from '../gateway.ts'
import { addOperator, callsAs } from './operators.ts'

const gateway = await startGateway({ operatorApi: 'on' })
const { get } = callsAs(gateway, (await addOperator(gateway, 'admin')).headers)
test.after.always(() => gateway.stop())

/** Texts that Postgres or its driver cannot hold as a text, an id or a time. */
const hostile = [
  '%00',
  'a%00b',
  '2026-12-31T23:59:60Z',
  '0000-01-01T00:00:00Z',
  '%ED%A0%80',
  '1e999',
]

for (const { id, method, path, query } of operatorOperations) {
  if (method !== 'GET') continue
  test(`${id} answers hostile text without a fault of the farm`, async (t) => {
    for (const text of hostile) {
      const named = await get(path.replace(/:\w+/g, text))
      t.true(named.statusCode < 500, `${text}: ${named.body}`)
      for (const name of Object.keys(query.properties)) {
        const reply = await get(`${path.replace(/:\w+/g, 'a')}?${name}=${text}`)
        t.true(reply.statusCode < 500, `${name}=${text}: ${reply.body}`)
      }
    }
  })
}
