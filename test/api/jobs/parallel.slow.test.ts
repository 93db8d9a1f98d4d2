import type { AddressInfo } from 'node:net'
import test from 'ava'
import { sql } from 'kysely'
import { request } from 'undici'
import { renderPath, requestOf, startGateway } from '../gateway.ts'

test('two processes accept ten of 1000 parallel submissions with credit for ten', async (t) => {
  const gateway = await startGateway()
  t.teardown(gateway.stop)
  const replica = await gateway.startReplica()
  t.teardown(replica.stop)
  const doors: string[] = []
  for (const { server } of [gateway, replica]) {
    await server.listen({ port: 0, host: '127.0.0.1' })
    doors.push(`http://127.0.0.1:${(server.server.address() as AddressInfo).port}`)
  }
  const { accountId, key, get } = await gateway.customer(21)
  // Only this plan allows so many submissions.
  await gateway.db.updateTable('accounts').set({ plan: 'studio' }).execute()
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const submit = async (i: number) => {
    const body = JSON.stringify(requestOf())
    const url = `${doors[i % 2]}${renderPath}`
    const reply = await request(url, { method: 'POST', headers, body })
    await reply.body.dump()
    return reply.statusCode
  }
  const statuses = await Promise.all(Array.from({ length: 1000 }, (_, i) => submit(i)))
  const count = (wanted: number) => statuses.filter((status) => status === wanted).length
  t.deepEqual([count(202), count(402)], [10, 990])
  t.deepEqual((await get('/api/credits/balance')).json(), {
    ...{ balance: 21, reserved: 20, available: 1 },
  })
  const { rows } = await sql`
    select sum(balance_change)::bigint as balance, sum(reserved_change)::bigint as reserved,
      count(*) filter (where kind = 'hold') as holds
    from credit_entries where account_id = ${accountId}`.execute(gateway.db)
  t.deepEqual(rows, [{ balance: 21, reserved: 20, holds: 10 }])

  // No hold outlives its job.
  const { jobs } = (await get('/api/jobs')).json()
  const post = async (path: string) =>
    await gateway.server.inject({ method: 'POST', url: path, headers: { 'x-api-key': key } })
  await Promise.all(jobs.map(({ id }: { id: string }) => post(`/api/jobs/${id}/cancel`)))
  t.is((await get('/api/credits/balance')).json().reserved, 0)
})
