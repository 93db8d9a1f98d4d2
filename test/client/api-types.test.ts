import { readFileSync } from 'node:fs'
import test from 'ava'
import { clientTypes } from '../../infra/client/client-types.ts'

test('the client’s types are what the service publishes today', async (t) => {
  const file = new URL('../../client/api-types.ts', import.meta.url)
  const isUpToDate = readFileSync(file, 'utf8') === (await clientTypes())
  t.true(isUpToDate, 'run `npm run client:types` and look at what changed')
})
