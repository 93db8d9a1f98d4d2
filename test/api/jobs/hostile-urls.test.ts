import test from 'ava'
import { sql } from 'kysely'
import { hostileUrls } from '../../core/project/hostile-urls.ts'
import { film, type Gateway, renderPath, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

test('the API answers every row of the case table by its text', async (t) => {
  const { post } = await gateway.customer(100_000)
  await sql`update accounts set plan = 'studio'`.execute(gateway.db)
  const rows = hostileUrls()
  t.true(rows.length > 170)
  const validated = { taken: 0, refused: 0 }
  for (const { url, context, isTaken, isTextual, variables, reason } of rows) {
    const isMedia = context === 'media'
    const visuals = [{ type: 'IMAGE', src: url }]
    const body = isMedia ? { payload: { ...film, visuals } } : { payload: film, webhookUrl: url }
    const reply = await post(renderPath, { ...body, variables })
    const label = `${context} ${url.slice(0, 80)} (${reason})`
    // Addresses and redirects of a name are known only when it is dialled.
    if (isTaken || !isTextual) {
      validated.taken += 1
      t.is(reply.statusCode, 202, label)
      continue
    }
    validated.refused += 1
    t.true([400, 422].includes(reply.statusCode), `${label}: ${reply.statusCode}`)
    const fields = reply.json().details.map(({ field }: { field: string }) => field)
    t.true(fields.includes(isMedia ? 'visuals[0].src' : 'webhookUrl'), label)
  }
  t.is(validated.taken + validated.refused, rows.length)
})
