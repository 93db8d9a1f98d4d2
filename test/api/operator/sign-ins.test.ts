import { randomUUID, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { createAuthority, issue } from '../../../runtime/authority.ts'
import { sha256 } from '../../../runtime/sha256.ts'
import { hashKey } from '../../../store/db/accounts/create-key.ts'
import { findKey } from '../../../store/db/accounts/find-key.ts'
import { findCertificate } from '../../../store/db/fleet/find-certificate.ts'
import { listActs } from '../../../store/db/fleet/list-acts.ts'
import { addNode } from '../../store/database.ts'
import { bearer, call, signIn } from '../accounts.ts'
import { startGateway } from '../gateway.ts'
import { addOperator, addOperatorWithPassword, callsAs, password } from './operators.ts'

const gateway = await startGateway({ operatorApi: 'on' })
const { db } = gateway
const { get, post } = callsAs(gateway, (await addOperator(gateway, 'admin')).headers)
test.after.always(() => gateway.stop())
const why = 'a reason that is on record'
const newEmail = () => `${randomUUID()}@example.com`
const signInAs = async (email: string, given: string, path = '/api/auth/sign-in') =>
  (await call(gateway, 'POST', path, { body: { email, password: given } })).statusCode

test('a key is shown once, works, and has its limits', async (t) => {
  const { accountId } = await gateway.customer()
  const path = `/accounts/${accountId}/keys`
  const limits = { scopes: ['jobs', 'jobs'], creditCap: 9, expiresAt: '2999-01-01T00:00:00Z' }
  const made = (await post(path, { name: 'ci', ...limits, why })).json()
  t.regex(made.key, /^svc_[0-9a-f]{64}$/)
  t.like(made, { name: 'ci', scopes: ['jobs'], creditCap: 9, prefix: made.key.slice(0, 12) })
  t.like(await findKey(db, hashKey(made.key)), { accountId, keyId: made.id, creditCap: 9 })
  t.false((await get(path)).body.includes(made.key))
  t.false(JSON.stringify(await listActs(db, { limit: 9, subject: accountId })).includes(made.key))
  for (const [field, wrong] of [
    ['scopes', { scopes: ['all'] }],
    ['scopes', { scopes: [] }],
    ['creditCap', { creditCap: 0 }],
    ['expiresAt', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['name', { name: '' }],
  ] as const) {
    const refused = await post(path, { name: 'ci', ...wrong, why })
    t.true([400, 422].includes(refused.statusCode), JSON.stringify(wrong))
    t.true(refused.json().details[0].field.startsWith(field), refused.body)
  }
})

test('a user is created, gets a new password, and is signed out', async (t) => {
  const { accountId } = await gateway.customer()
  const email = newEmail()
  const path = `/accounts/${accountId}/users`
  const made = (await post(path, { email, firstName: 'Ada', why })).json()
  t.is(await signInAs(email, made.password), 200)
  const [listed] = (await get(path)).json().users
  t.like(listed, { email, firstName: 'Ada', sessions: 1, agents: 0 })
  t.truthy(listed.lastUsedAt)
  t.is((await post(path, { email: email.toUpperCase(), why })).statusCode, 409)
  t.is((await post(path, { email: 'ada', why })).statusCode, 422)

  const given = 'a password that is given'
  const changed = await post(`/users/${email}/set-password`, { password: given, why })
  t.deepEqual(changed.json(), { id: made.id, email, password: null })
  t.is((await get(path)).json().users[0].sessions, 0)
  t.is(await signInAs(email, made.password), 401)
  t.is(await signInAs(email, given), 200)
  const ended = await post(`/users/${email}/end-sessions`, { why })
  t.deepEqual(ended.json(), { email, sessions: 1, agents: 0 })
  t.is(await signInAs(email, given), 200, 'the password stays')
  t.is((await post(`/users/${newEmail()}/end-sessions`, { why })).statusCode, 404)
  t.is((await post(`/users/${newEmail()}/set-password`, { why })).statusCode, 404)
})

test('an ended session is refused at its next request', async (t) => {
  const { accountId } = await gateway.customer()
  const { email, accessToken } = await signIn(gateway, accountId)
  const profile = { url: '/api/user/profile', headers: bearer(accessToken) }
  t.is((await gateway.server.inject(profile)).statusCode, 200)
  t.is((await post(`/users/${email}/end-sessions`, { why })).json().sessions, 1)
  t.is((await gateway.server.inject(profile)).statusCode, 401)
})

test('an operator made by the API signs in until the password changes', async (t) => {
  const email = newEmail()
  const made = (await post('/operators', { email, role: 'viewer', why })).json()
  const path = '/api/operator/auth/sign-in'
  t.is(await signInAs(email, made.password, path), 200)
  t.is((await post('/operators', { email, role: 'admin', why })).statusCode, 409)
  const reset = (await post(`/operators/${email}/reset-password`, { why })).json()
  t.not(reset.password, made.password)
  t.is(await signInAs(email, made.password, path), 401)
  t.is(await signInAs(email, reset.password, path), 200)
  for (const short of ['', 'too short']) {
    const refused = await post(`/operators/${email}/reset-password`, { password: short, why })
    t.true([400, 422].includes(refused.statusCode))
  }
})

test.serial('refused sign-ins count where their alert reads', async (t) => {
  const rules = readFileSync(
    new URL('../../../infra/prometheus/rules/farm.yml', import.meta.url),
    'utf8',
  )
  const [, routes = '', statuses = ''] =
    /FarmSignInsRefused[^}]*route=~"([^"]+)",status=~"([^"]+)"/.exec(rules) ?? []
  const counted = async (route: string) => {
    const text = await gateway.context.metrics.registry.metrics()
    const series = `farm_http_request_seconds_count{[^}]*route="${route}",status="(?:${statuses})"[^}]*} (\\d+)`
    return [...text.matchAll(new RegExp(series, 'g'))].reduce((sum, [, n]) => sum + Number(n), 0)
  }
  t.is(routes.split('|').length, 2)
  // Over a socket: an answer of `inject` counts as one that its caller did not wait for.
  const address = await gateway.server.listen({ host: '127.0.0.1', port: 0 })
  for (const route of routes.split('|')) {
    const before = await counted(route)
    const body = JSON.stringify({ email: newEmail(), password: 'not the password' })
    const headers = { 'content-type': 'application/json' }
    t.is((await fetch(`${address}${route}`, { method: 'POST', headers, body })).status, 401)
    // It is counted when the caller has the answer.
    while ((await counted(route)) === before) await sleep(10)
    t.is(await counted(route), before + 1, route)
  }
})

test('only an admin with a fresh password makes sign-ins', async (t) => {
  const { accountId } = await gateway.customer()
  const operator = callsAs(gateway, (await addOperatorWithPassword(gateway, 'operator')).headers)
  const stale = await addOperatorWithPassword(gateway, 'admin')
  await db
    .updateTable('operator_sessions')
    .set({ confirmed_at: new Date(Date.now() - 3_600_000) })
    .where('id', '=', stale.sessionId)
    .execute()
  const late = callsAs(gateway, stale.headers)
  for (const [path, body] of [
    [`/accounts/${accountId}/keys`, { name: 'ci' }],
    [`/accounts/${accountId}/users`, { email: newEmail() }],
    ['/operators', { email: newEmail(), role: 'admin' }],
    [`/operators/${stale.email}/reset-password`, {}],
  ] as const) {
    t.is((await operator.post(path, { ...body, why })).statusCode, 403, path)
    const refused = await late.post(path, { ...body, why })
    t.is(refused.statusCode, 403, path)
    t.is(refused.json().details[0].field, 'password')
  }
  t.is((await late.post('/auth/confirm', { password })).statusCode, 200)
  t.is((await late.post(`/accounts/${accountId}/keys`, { name: 'ci', why })).statusCode, 200)
})

test('a node is admitted by its certificate, and revoked', async (t) => {
  const nodeId = await addNode(db)
  const authority = await createAuthority({ days: 1 })
  const subject = { role: 'node', nodeId, name: 'blue-1' } as const
  const { cert, key } = await issue(authority, { subject, days: 1 })
  const tokenHash = sha256('a token')
  const admitted = await post('/certificates/nodes', { certificate: cert, tokenHash, why })
  const fingerprint = sha256(new X509Certificate(cert).raw)
  t.like(admitted.json(), { fingerprint, nodeId, nodeName: 'blue-1', status: 'valid' })
  t.deepEqual(await findCertificate(db, fingerprint), { nodeId, tokenHash, status: 'valid' })
  t.false((await get('/certificates')).body.includes(tokenHash))
  const again = await post('/certificates/nodes', { certificate: cert, tokenHash, why })
  t.is(again.statusCode, 409)
  const revoked = (await post('/certificates/revoke', { which: 'blue-1', why })).json()
  t.like(revoked.certificates[0], { fingerprint, status: 'revoked', revokedWhy: why })
  t.is((await get(`/nodes/${nodeId}`)).json().state, 'cordoned')
  t.is((await post('/certificates/revoke', { which: 'blue-1', why })).statusCode, 404)
  for (const [certificate, said] of [
    [cert + key, /without a private key/],
    ['nothing', /X\.509 certificate as a PEM text/],
    [authority.cert, /must name one node by its id/],
  ] as const) {
    const refused = await post('/certificates/nodes', { certificate, tokenHash, why })
    t.is(refused.statusCode, 422)
    t.regex(refused.json().message, said)
    t.false(refused.body.includes(key.slice(40, 80)))
  }
  const asScheduler = await post('/certificates', { certificate: cert, why })
  t.regex(asScheduler.json().message, /must not be that of a node/)
})

test('an authority and a scheduler are put on record by their certificates', async (t) => {
  const authority = await createAuthority({ days: 1 })
  const hosts = ['127.0.0.1', 'scheduler.internal']
  const { cert } = await issue(authority, { subject: { role: 'scheduler', hosts }, days: 1 })
  for (const [certificate, act] of [
    [authority.cert, 'certs ca'],
    [cert, 'certs scheduler 127.0.0.1,scheduler.internal'],
  ] as const) {
    const { fingerprint } = (await post('/certificates', { certificate, why })).json()
    t.is(fingerprint, sha256(new X509Certificate(certificate).raw))
    const [recorded] = await listActs(db, { limit: 1, subject: fingerprint })
    t.like(recorded, { act, why })
  }
})
