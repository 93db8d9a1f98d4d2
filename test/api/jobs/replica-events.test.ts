import test, { type ExecutionContext } from 'ava'
import { bulkPath, card, forWhom } from '../bulks/submitted-bulk.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'

/** Two gateways on one database: a stream of one, and jobs that the other accepts. */

let gateway: Gateway
let address: string
let replica: Awaited<ReturnType<Gateway['startReplica']>>

test.before(async () => {
  gateway = await startGateway()
  address = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  replica = await gateway.startReplica()
})
test.after.always(async () => {
  await replica?.stop()
  await gateway?.stop()
})

/** A stream's text by the moment at which it has told of all these jobs. */
async function textUntil(
  t: ExecutionContext,
  key: string,
  act: () => Promise<readonly string[]>,
): Promise<string> {
  const end = new AbortController()
  t.teardown(() => end.abort())
  const headers = { 'x-api-key': key }
  const { body } = await fetch(`${address}/api/events`, { headers, signal: end.signal })
  let text = ''
  let wanted: readonly string[] | undefined
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (!text.includes('event: credits')) continue
    wanted ??= await act()
    if (wanted.every((id) => text.includes(`"id":"${id}"`))) break
  }
  return text
}

/** A stream that has had a beat has looked at all jobs, also at those that nobody told of. */
const beat = ': still here'

test('a job that another replica accepts is told before the next beat', async (t) => {
  const { key } = await gateway.customer()
  const text = await textUntil(t, key, async () => {
    const reply = await replica.server.inject({
      ...{ method: 'POST', url: renderPath, payload: requestOf() },
      headers: { 'x-api-key': key },
    })
    t.is(reply.statusCode, 202)
    return [reply.json().jobId]
  })
  t.false(text.includes(beat))
})

test('all jobs of a bulk that another replica accepts are told', async (t) => {
  const { key } = await gateway.customer()
  const names = Array.from({ length: 50 }, (_, i) => `Guest ${i}`)
  const text = await textUntil(t, key, async () => {
    const payload = { payload: card, items: forWhom(...names) }
    const headers = { 'x-api-key': key }
    const reply = await replica.server.inject({ method: 'POST', url: bulkPath, payload, headers })
    t.is(reply.statusCode, 202)
    return reply.json().jobIds
  })
  t.false(text.includes(beat))
})
