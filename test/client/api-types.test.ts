import { readFileSync } from 'node:fs'
import test from 'ava'
import { clientTypes, operatorTypes } from '../../infra/client/client-types.ts'

const stale = 'run `npm run client:types` and look at what changed'

test('the client’s types are what the service publishes today', async (t) => {
  const file = new URL('../../client/api-types.ts', import.meta.url)
  t.true(readFileSync(file, 'utf8') === (await clientTypes()), stale)
})

test('the operators’ types are what the service publishes today', async (t) => {
  const file = new URL('../../dashboard/src/farm/api/operator-types.ts', import.meta.url)
  t.true(readFileSync(file, 'utf8') === (await operatorTypes()), stale)
})
