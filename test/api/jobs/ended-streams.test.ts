import test from 'ava'
import { hashKey } from '../../../store/db/accounts/create-key.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

/** Streams end with their key, and do not wait for the beat that looks at each credential. */

const beatMs = 15_000
const { setInterval: real } = globalThis
let gateway: Gateway
let address: string

test.before(async () => {
  globalThis.setInterval = ((run: () => void, ms: number) =>
    real(ms === beatMs ? () => undefined : run, ms)) as typeof setInterval
  gateway = await startGateway()
  address = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
})
test.after.always(async () => {
  globalThis.setInterval = real
  await gateway?.stop()
})

for (const path of ['/api/jobs/{id}/events', '/api/events']) {
  for (const what of ['revoked', 'expired'] as const) {
    test(`${path} ends with its ${what} key without a beat`, async (t) => {
      const customer = await gateway.customer()
      const { jobId } = (await customer.post(renderPath, requestOf())).json()
      const key = await customer.anotherKey()
      const of = gateway.db.updateTable('api_keys').where('sha256', '=', hashKey(key))
      if (what === 'expired') await of.set({ expires_at: new Date(Date.now() + 5_000) }).execute()
      const reply = await fetch(`${address}${path.replace('{id}', jobId)}`, {
        headers: { 'x-api-key': key },
      })
      t.is(reply.status, 200)
      let text = ''
      let isRevoked = what === 'expired'
      for await (const chunk of reply.body ?? []) {
        text += Buffer.from(chunk).toString()
        if (isRevoked || !text.includes('event: ')) continue
        isRevoked = true
        await of.set({ revoked_at: new Date() }).execute()
      }
      t.regex(text, /^event: (job|hello)$/m)
    })
  }
}
