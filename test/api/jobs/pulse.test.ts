import test from 'ava'
import { type Gateway, startGateway } from '../gateway.ts'

/** A quiet stream of an account shows between two beats that its line is alive. */

const pulseMs = 5_000
const { setInterval: real } = globalThis
let gateway: Gateway
let address: string

test.before(async () => {
  // The beat, of 15 seconds, does not come; the pulse comes at once.
  globalThis.setInterval = ((run: () => void, ms: number) =>
    real(ms > pulseMs ? () => undefined : run, ms === pulseMs ? 10 : ms)) as typeof setInterval
  gateway = await startGateway()
  address = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
})
test.after.always(async () => {
  globalThis.setInterval = real
  await gateway?.stop()
})

test('a quiet stream has a pulse between its beats', async (t) => {
  const { key } = await gateway.customer()
  const end = new AbortController()
  t.teardown(() => end.abort())
  const headers = { 'x-api-key': key }
  const reply = await fetch(`${address}/api/events`, { headers, signal: end.signal })
  let text = ''
  for await (const chunk of reply.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (/event: credits[\s\S]*\n\n:\n\n:\n\n/.test(text)) break
  }
  t.notRegex(text, /still here/)
})
