import { randomUUID } from 'node:crypto'
import test from 'ava'
import { setPlan } from '../../../store/db/accounts/set-plan.ts'
import { type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

/** Fills in an id that does not exist and is never looked up. */
function withId(path: string): string {
  const letters = 'x'.repeat(20)
  if (path.startsWith('/api/templates/')) return path.replace(':id', `tpl_${letters}`)
  if (path.startsWith('/api/projects/')) return path.replace(':id', `prj_${letters}`)
  if (path.startsWith('/api/quotes/')) return path.replace(':id', `qt_${letters}`)
  if (path.startsWith('/api/uploads/')) return path.replace(':id', `upl_${letters}`)
  if (path.startsWith('/api/render/bulk/')) return path.replace(':id', `blk_${letters}`)
  const places = {
    ':kind': 'shapes',
    ':slug': 'none',
    ':uid': 'none',
    ':type': 'text',
    ':name': 'none',
    '*': 'none',
  }
  const filled = Object.entries(places).reduce((at, [place, by]) => at.replace(place, by), path)
  return filled.replace(':id', randomUUID())
}

test('every route refuses a parameter that it would ignore, by its name', async (t) => {
  const { key, accountId } = await gateway.customer()
  // It may send more requests a minute than there are routes.
  await setPlan(gateway.db, { accountId, plan: 'studio' })
  await gateway.server.ready()
  const routes = gateway.server.access.filter(
    ({ path, credentials }) =>
      path.startsWith('/api/') && (credentials.length === 0 || credentials.includes('key')),
  )
  t.true(routes.length > 30, `${routes.length} routes`)
  for (const { method, path } of routes.filter(({ method }) => method !== 'HEAD')) {
    const reply = await gateway.server.inject({
      method: method as 'GET',
      url: `${withId(path)}?pagesize=5`,
      headers: { 'x-api-key': key },
    })
    t.is(reply.statusCode, 400, `${method} ${path}`)
    t.like(reply.json().details, [{ field: 'pagesize', pointer: '/pagesize' }], `${method} ${path}`)
  }
})

test('an unknown parameter is answered with the known ones', async (t) => {
  const { get } = await gateway.customer()
  const messages = async (path: string) =>
    (await get(path)).json().details.map(({ message }: { message: string }) => message)
  t.deepEqual(await messages('/api/credits/usage-stats?day=7&days=0'), [
    'A parameter must be one of days, timeframe. Got day',
    'days must be >= 1. Got "0"',
  ])
  t.deepEqual(await messages('/api/credits/balance?a=1&b=2'), [
    'This route takes no parameters. Got a',
    'This route takes no parameters. Got b',
  ])
})
