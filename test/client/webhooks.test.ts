import { createHmac, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { verifyWebhook, WebhookRefused } from '../../client/webhooks.ts'
import { type Attempt, attemptHeaders } from '../../core/webhooks/signature.ts'
import { sign } from '../../workflows/webhooks/sign.ts'

type Vector = { secret: string; timestamp: string; body: string; sig: string }
const vectors: Vector[] = readFileSync(new URL('webhook-vectors.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY='
const now = 1_700_000_000_000
const body = '{"event":"render.completed"}'
const attempt: Attempt = {
  deliveryId: '11111111-2222-4333-8444-555555555555',
  event: 'render.completed',
  jobId: '7f0c6d2e-6c1b-4a53-9b0e-0d6b4f2d5a10',
  timestamp: now / 1000,
  body,
}
const signedBy = (...secrets: string[]) =>
  attemptHeaders(attempt, sign(attempt, { secrets, number: 0 }))

async function refusal(t: ExecutionContext, given: object): Promise<string> {
  const request = { headers: signedBy(secret), body, secret, now, ...given }
  const error = await t.throwsAsync(verifyWebhook(request), { instanceOf: WebhookRefused })
  return error?.message ?? ''
}

test('each vector verifies as text and bytes, and the deliverer remakes it', async (t) => {
  t.true(vectors.length >= 5)
  for (const { timestamp, sig, ...vector } of vectors) {
    const headers = { 'X-Service-Timestamp': timestamp, 'X-Service-Signature': sig }
    const at = Number(timestamp) * 1000
    for (const bytes of [vector.body, Buffer.from(vector.body)]) {
      const verified = await verifyWebhook({ ...vector, headers, body: bytes, now: at })
      t.is(verified.text, vector.body)
    }
    const made = sign(
      { ...attempt, timestamp: Number(timestamp), body: vector.body },
      { secrets: [vector.secret], number: 0 },
    )
    t.is(`sha256=${made.own}`, sig)
    await refusal(t, { ...vector, headers, body: `${vector.body} `, now: at })
    await refusal(t, { ...vector, headers, secret: `${vector.secret}x`, now: at })
  }
})

test('a verified webhook has its delivery, time and event', async (t) => {
  const headers = new Headers(signedBy(secret))
  const verified = await verifyWebhook({ headers, body, secret, now })
  t.is(verified.deliveryId, attempt.deliveryId)
  t.is(verified.signedAt.getTime(), now)
  t.is(verified.read().event, 'render.completed')
})

test('headers are found whatever their case, and refused when there are two', async (t) => {
  const lower = Object.fromEntries(
    Object.entries(signedBy(secret)).map(([name, value]) => [name.toLowerCase(), value]),
  )
  t.is((await verifyWebhook({ headers: lower, body, secret, now })).text, body)
  const own = lower['x-service-signature'] ?? ''
  t.regex(await refusal(t, { headers: { ...lower, 'X-Service-Signature': own } }), /Signature/)
  t.regex(await refusal(t, { headers: { ...lower, 'x-service-signature': [own, own] } }), /hex/)
})

test('absent and malformed signatures and times are refused', async (t) => {
  const headers = signedBy(secret)
  const own = headers['X-Service-Signature'] ?? ''
  const signatures = [undefined, '', 'sha256=', own.slice(7), own.slice(0, -1), `${own}0`]
  const odd = [own.toUpperCase(), own.replace('256', '1'), ` ${own}`, `${own}, ${own}`, `${own}\n`]
  for (const each of [...signatures, ...odd]) {
    await refusal(t, { headers: { ...headers, 'X-Service-Signature': each } })
  }
  for (const each of [undefined, '', 'now', '1e9', '-1700000000', ' 1700000000', '1700000000.0']) {
    await refusal(t, { headers: { ...headers, 'X-Service-Timestamp': each } })
  }
})

test('five minutes are the limit, in both directions', async (t) => {
  const headers = signedBy(secret)
  for (const away of [-300, 0, 300]) {
    t.is((await verifyWebhook({ headers, body, secret, now: now + away * 1000 })).text, body)
  }
  for (const away of [-301, 301, Number.NaN]) {
    t.regex(await refusal(t, { now: now + away * 1000 }), /at most 300 s old/)
  }
  await refusal(t, { now: now + 61_000, toleranceSeconds: 60 })
})

test('another time under the same signature is refused', async (t) => {
  const headers = { ...signedBy(secret), 'X-Service-Timestamp': String(now / 1000 + 1) }
  t.regex(await refusal(t, { headers }), /made with the secret/)
})

test('an empty secret verifies nothing', async (t) => {
  const hmac = createHmac('sha256', '')
    .update(`${now / 1000}.${body}`)
    .digest('hex')
  const headers = { ...signedBy(secret), 'X-Service-Signature': `sha256=${hmac}` }
  await t.throwsAsync(verifyWebhook({ headers, body, secret: '', now }), { instanceOf: TypeError })
  await refusal(t, { headers, secret: [] })
})

test('while a secret is rotated, either is enough on every attempt', async (t) => {
  const old = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const both = { secrets: [secret, old] }
  const first = attemptHeaders(attempt, sign(attempt, { ...both, number: 0 }))
  const second = attemptHeaders(attempt, sign(attempt, { ...both, number: 1 }))
  for (const headers of [first, second]) {
    for (const known of [secret, old, [secret, old]]) {
      t.is((await verifyWebhook({ headers, body, secret: known, now })).text, body)
    }
  }
  const { 'webhook-signature': standard = '', ...own } = first
  await refusal(t, { headers: own, secret: old })
  t.is((await verifyWebhook({ headers: own, body, secret, now })).text, body)
  const stranger = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  for (const headers of [
    { ...first, 'webhook-id': randomUUID() },
    { ...first, 'X-Service-Delivery-Id': randomUUID() },
    { ...first, 'webhook-timestamp': String(now / 1000 + 1) },
    { ...first, 'webhook-signature': standard.replaceAll('v1,', 'v1a,') },
    { ...first, 'webhook-signature': standard.split(' ')[1] ?? '' },
  ]) {
    await refusal(t, { headers, secret: old })
  }
  await refusal(t, { headers: first, secret: [stranger, 'whsec_', 'whsec_a', 'whsec_____', 'x'] })
})

test('a Standard Webhooks signature uses the secret’s bytes, once per secret', (t) => {
  const old = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const headers = signedBy(secret, old)
  const expected = [secret, old].map((each) => {
    const key = Buffer.from(each.slice('whsec_'.length), 'base64')
    t.is(key.length, 32)
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  })
  t.is(headers['webhook-signature'], expected.join(' '))
})
