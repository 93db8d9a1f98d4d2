import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { sql } from 'kysely'
import { request } from 'undici'
import { createDashboardTokens } from '../../../api/account/dashboard-token.ts'
import type { RouteAccess } from '../../../api/gateway/access.ts'
import { withDefaults } from '../../../api/oauth/consent-settings.ts'
import { operations } from '../../../api/openapi/operations.ts'
import { projectIdOf } from '../../../api/projects/project-id.ts'
import { quoteIdOf } from '../../../api/quotes/quote-id.ts'
import { templateIdOf } from '../../../api/templates/template-id.ts'
import { keyScopes } from '../../../core/accounts/key-scopes.ts'
import { type OperatorRole, roleIncludes } from '../../../core/operators/roles.ts'
import { sampleHappening } from '../../../core/webhooks/envelope.ts'
import { readSealKeys } from '../../../runtime/seal.ts'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import { createUser } from '../../../store/db/accounts/create-user.ts'
import { insertAgentGrant } from '../../../store/db/agents/insert-agent-grant.ts'
import { addReceiver } from '../../../store/db/alerts/receivers.ts'
import { addInvitation } from '../../../store/db/fleet/invitations.ts'
import { addMaintenance } from '../../../store/db/fleet/maintenance-windows.ts'
import { endOperatorSession } from '../../../store/db/operators/end-operator-session.ts'
import { insertProject } from '../../../store/db/projects/insert-project.ts'
import { insertQuote } from '../../../store/db/quotes/insert-quote.ts'
import { endSession } from '../../../store/db/sessions/end-session.ts'
import { startSession } from '../../../store/db/sessions/start-session.ts'
import { insertTemplate } from '../../../store/db/templates/insert-template.ts'
import { beginUpload } from '../../../store/db/uploads/begin-upload.ts'
import { createWebhook } from '../../../store/db/webhooks/create-webhook.ts'
import { orderTestDelivery } from '../../../store/db/webhooks/order-delivery.ts'
import { addBulk, addJob, addLostAttempt, addNode } from '../../store/database.ts'
import { bearer } from '../accounts.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'
import { addOperator } from '../operator/operators.ts'

/**
 * Calls every route of the server with every kind of credential. The routes are the server's own
 * list, so a new one is covered without a change here. One with an id needs an entry in `things`
 * that makes the object, and in `bodies` if its body is checked before the id.
 */

let gateway: Gateway
let door: string

test.before(async () => {
  gateway = await startGateway({ operatorApi: 'on' })
  await gateway.server.listen({ port: 0, host: '127.0.0.1' })
  door = `http://127.0.0.1:${(gateway.server.server.address() as AddressInfo).port}`
})
test.after.always(() => gateway?.stop())

/** Creates an object for an account and answers its id, by the path before the id. */
const things: Readonly<Record<string, (accountId: string) => Promise<string>>> = {
  '/api/jobs': newJob,
  '/api/render/bulk': async (accountId) =>
    (await addBulk(gateway.db, { accountId, ids: [randomUUID()] })).id,
  '/api/render/elements': async () => 'text',
  '/api/render/examples': async () => 'still-image',
  '/api/library': async () => 'shapes',
  '/api/library/:kind': async () => 'circle',
  '/api/agent-connections': newConnection,
  '/api/auth/sessions': sessionOfSameUser,
  '/api/quotes': newQuote,
  '/api/oauth/interactions': async () => 'x',
  '/oauth/authorize': async () => 'x',
  '/oauth/consent': async () => 'x',
  '/play': async () => randomUUID(),
  '/play/:jobId': async () => 'x',
  '/play/:jobId/:grant': async () => 'film.m3u8',
  '/download': async () => `blk_${'0'.repeat(20)}`,
  '/download/:id': async () => 'x',
  '/watch': async () => randomUUID(),
  '/watch/:jobId': async () => 'x',
  '/api/api-keys': async (accountId) => (await newKey(accountId)).id,
  '/api/templates': async (accountId) => await newTemplate(accountId),
  '/api/projects': async (accountId) => await newProject(accountId),
  '/api/uploads': newUpload,
  '/uploads': async () => `upl_${'0'.repeat(20)}`,
  '/uploads/:id': async () => 'x',
  '/api/webhooks': newWebhook,
  '/api/operator/nodes': async () => await addNode(gateway.db),
  '/api/operator/maintenance': newWindow,
  '/api/operator/invitations': newInvitation,
  '/api/operator/receivers': newReceiver,
  '/api/operator/jobs': newJob,
  '/api/operator/tasks': newTask,
  '/api/operator/charts': async () => 'queued',
  '/api/operator/tasks/:task/attempts': async () => '1',
  '/api/operator/accounts': async (accountId) => accountId,
  '/api/operator/accounts/:account/agents': newConnection,
  '/api/operator/accounts/:account/keys': async (accountId) => (await newKey(accountId)).id,
  '/api/operator/accounts/:account/webhooks': newWebhook,
  '/api/operator/accounts/:account/deliveries': endedDelivery,
  '/api/operator/users': async (accountId) => (await newUser(accountId)).email,
  '/api/operator/operators': async () => (await addOperator(gateway, 'viewer')).email,
  '/api/webhooks/deliveries': endedDelivery,
}

async function newReceiver(): Promise<string> {
  const secrets = { url: 'https://example.com' }
  const receiver = { name: randomUUID(), form: 'slack', onlyPages: false, madeBy: 'ada' } as const
  const sealKeys = readSealKeys({}, 'a secret of the farm that is long')
  return (await addReceiver(gateway.db, { ...receiver, secrets, sealKeys })) ?? ''
}

async function newInvitation(): Promise<string> {
  const made = { tokenHash: randomUUID(), pool: 'gpu', uses: 1, seconds: 600, madeBy: 'ada' }
  return (await addInvitation(gateway.db, made)).id
}

async function newWindow(): Promise<string> {
  const [startsAt, endsAt] = [new Date('2998-01-01'), new Date('2999-01-01')]
  const window = { startsAt, endsAt, why: 'a test', madeBy: 'ada' }
  return await addMaintenance(gateway.db, { target: { nodeId: null, pool: 'gpu' }, ...window })
}

async function endedDelivery(accountId: string): Promise<string> {
  const webhookId = await newWebhook(accountId)
  const happening = sampleHappening('render.failed', new Date().toISOString())
  const id = await orderTestDelivery(gateway.db, { accountId, webhookId, happening })
  await sql`update webhook_deliveries set status = 'failed', next_attempt_at = null
    where id = ${id}`.execute(gateway.db)
  return id ?? ''
}

const bodies: Readonly<Record<string, unknown>> = {
  'PATCH /api/agent-connections/:id': { profile: 'readonly' },
  'PUT /api/api-keys/:id': { name: 'renamed' },
  'POST /api/render/creative-plan/api-key': { brief: 'matrix' },
  'POST /api/render/repair/api-key': { payload: {} },
  'PATCH /api/projects/:id': { patch: [{ op: 'add', path: '/width', value: 640 }] },
  'POST /api/projects/:id/restore': { version: 1 },
  'PUT /api/projects/:id': { name: 'renamed' },
  'PUT /api/templates/:id': { name: 'renamed' },
  'PUT /api/webhooks/:id': { description: 'changed' },
}

/** A customer whose plan allows more requests a minute than there are routes. */
async function busyCustomer() {
  const made = await gateway.customer(1_000_000)
  await sql`update accounts set plan = 'studio' where id = ${made.accountId}`.execute(gateway.db)
  return made
}

const newKey = async (accountId: string, more: Partial<Parameters<typeof createKey>[1]> = {}) =>
  await createKey(gateway.db, { accountId, name: 'matrix', ...more })

async function newJob(accountId: string): Promise<string> {
  const id = await addJob(gateway.db, accountId, 1)
  const key = `accounts/${accountId}/thumbnail`
  await gateway.objects.put(key, Buffer.from('small'))
  await gateway.db.updateTable('jobs').set({ thumbnail_key: key }).where('id', '=', id).execute()
  return id
}

async function newTask(accountId: string): Promise<string> {
  const jobId = await addJob(gateway.db, accountId, 1)
  return await addLostAttempt(gateway.db, { accountId, jobId })
}

async function newTemplate(accountId: string): Promise<string> {
  const made = {
    id: templateIdOf(randomUUID()),
    name: 'matrix',
    description: '',
    payload: {},
    limit: 1000,
  }
  const template = await insertTemplate(gateway.db, { accountId, ...made })
  if (!template) throw new Error('The template must be inserted')
  return template.id
}

async function newUpload(accountId: string): Promise<string> {
  const id = `upl_${randomBytes(10).toString('hex')}`
  const of = { kind: 'image', mediaType: 'image/png', name: 'matrix', objectKey: 'x' } as const
  const most = { uploadsMost: 1000, bytesMost: 1000 }
  await beginUpload(gateway.db, { id, accountId, bytes: 1, ...of, ...most })
  return id
}

async function newProject(accountId: string): Promise<string> {
  const made = { id: projectIdOf(randomUUID()), name: 'matrix', payload: {}, limit: 1000 }
  const { sealKeys } = gateway.context
  const project = await insertProject(gateway.db, { accountId, sealKeys, ...made })
  if (!project) throw new Error('The draft must be inserted')
  return project.id
}

async function newWebhook(accountId: string): Promise<string> {
  const id = randomUUID()
  const webhook = { id, accountId, url: 'https://example.com/', description: '', secret: '' }
  await createWebhook(gateway.db, { ...webhook, events: ['render.failed'] }, { limit: 1000 })
  return id
}

async function newQuote(accountId: string): Promise<string> {
  const { sealKeys } = gateway.context
  const id = quoteIdOf(randomUUID(), sealKeys)
  const price = { credits: 1, creditsMost: 1, exact: true, seconds: 2 }
  const of = { templateId: null, projectId: null, bulkId: null, request: { payload: film } }
  const by = { sealKeys, agentGrantId: null, actId: randomUUID() }
  await insertQuote(gateway.db, { id, accountId, ...by, ...of, ...price })
  return id
}

async function newConnection(accountId: string): Promise<string> {
  const { id: userId } = await newUser(accountId)
  const client = { clientId: 'client', clientName: 'Claude', redirectHost: 'claude.ai' }
  const allowance = withDefaults({ profile: 'creator' })
  return (await insertAgentGrant(gateway.db, { accountId, userId, ...client, ...allowance })).id
}

async function newUser(accountId: string): Promise<{ email: string; id: string }> {
  const email = `${Math.random()}@example.com`
  const stored = { password: 'none', firstName: '', lastName: '' }
  const user = await createUser(gateway.db, { accountId, email, ...stored })
  return { email, id: user?.id ?? '' }
}

async function newSession(accountId: string): Promise<string> {
  const { email, id: userId } = await newUser(accountId)
  const token = Buffer.from(email.padEnd(32).slice(0, 32))
  return (await startSession(gateway.db, { accountId, userId, token })).id
}

/** Another session of the account's newest user, who is the caller in turn. */
async function sessionOfSameUser(accountId: string): Promise<string> {
  const newest = await gateway.db
    .selectFrom('users')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  const userId = newest?.id ?? (await newUser(accountId)).id
  return (await startSession(gateway.db, { accountId, userId, token: randomBytes(32) })).id
}

async function fill(path: string, accountId: string): Promise<string> {
  let filled = ''
  let prefix = ''
  for (const part of path.split('/').slice(1)) {
    const thing = things[prefix]
    if (part.startsWith(':')) {
      if (!thing) throw new Error(`things must say how to make one for ${path}`)
      filled += `/${await thing(accountId)}`
    } else filled += `/${part.replace('*', 'x')}`
    prefix += `/${part}`
  }
  return filled
}

type Answer = { readonly status: number; readonly text: string }

async function ask(
  { method, path }: RouteAccess,
  { accountId, headers }: { accountId: string; headers: Record<string, string> },
): Promise<Answer> {
  const url = `${door}${await fill(path, accountId)}`
  const body = bodies[`${method} ${path}`]
  const json = body !== undefined && {
    body: JSON.stringify(body),
    headers: { ...headers, 'content-type': 'application/json' },
  }
  const options = { method, headers, ...json } as Parameters<typeof request>[1]
  const reply = await request(url, options)
  // A stream of events has no end to wait for.
  const isStream = String(reply.headers['content-type']).includes('event-stream')
  if (isStream) reply.body.on('error', () => undefined).destroy()
  return { status: reply.statusCode, text: isStream ? '' : await reply.body.text() }
}

type Credential = {
  /** The headers, made anew for each request: some routes use up their objects. */
  readonly headers: (accountId: string, route: RouteAccess) => Promise<Record<string, string>>
  readonly outcome: (route: RouteAccess) => 'unknown' | 'forbidden' | 'taken'
}

const withKey = (key: string) => ({ 'x-api-key': key })
/** A role below that of the route is forbidden. Nowhere else is an operator known. */
const takesRole = (has: OperatorRole) => (route: RouteAccess) => {
  if (!route.credentials.includes('operator')) return 'unknown'
  return roleIncludes(has, route.role ?? 'admin') ? 'taken' : 'forbidden'
}
const asOperator = (role: OperatorRole): Credential => ({
  headers: async () => (await addOperator(gateway, role)).headers,
  outcome: takesRole(role),
})
/** A valid credential of the wrong kind is forbidden, not unknown. */
const takes = (kind: 'key' | 'session') => (route: RouteAccess) =>
  route.credentials.includes(kind) ? 'taken' : 'forbidden'
const never = () => 'unknown' as const

const credentials: Readonly<Record<string, Credential>> = {
  none: { headers: async () => ({}), outcome: never },
  'a malformed key': { headers: async () => withKey('svc_123'), outcome: never },
  'an unknown key': { headers: async () => withKey(`svc_${'a'.repeat(64)}`), outcome: never },
  'a revoked key': {
    async headers(accountId) {
      const { id, key } = await newKey(accountId)
      await sql`update api_keys set revoked_at = now() where id = ${id}`.execute(gateway.db)
      return withKey(key)
    },
    outcome: never,
  },
  'an expired key': {
    headers: async (accountId) =>
      withKey((await newKey(accountId, { expiresAt: new Date(Date.now() - 1000) })).key),
    outcome: never,
  },
  'an own key': {
    headers: async (accountId) => withKey((await newKey(accountId)).key),
    outcome: takes('key'),
  },
  'a key with exactly the scope': {
    headers: async (accountId, { scope }) =>
      withKey((await newKey(accountId, { scopes: scope ? [scope] : [] })).key),
    outcome: takes('key'),
  },
  'a key with all scopes but the one': {
    async headers(accountId, { scope }) {
      const scopes = keyScopes.filter((each) => each !== scope)
      return withKey((await newKey(accountId, { scopes })).key)
    },
    outcome: () => 'forbidden',
  },
  'a dashboard token': {
    headers: async (accountId) =>
      bearer(await gateway.context.tokens.make(await newSession(accountId))),
    outcome: takes('session'),
  },
  'an expired token': {
    async headers(accountId) {
      const old = createDashboardTokens(gateway.secret, -1)
      return bearer(await old.make(await newSession(accountId)))
    },
    outcome: never,
  },
  'a token whose session is over': {
    async headers(accountId) {
      const sessionId = await newSession(accountId)
      await endSession(gateway.db, { sessionId, reason: 'test' })
      return bearer(await gateway.context.tokens.make(sessionId))
    },
    outcome: never,
  },
  'a viewer’s token': asOperator('viewer'),
  'an operator’s token': asOperator('operator'),
  'an admin’s token': asOperator('admin'),
  'a token of a disabled operator': {
    async headers() {
      const { operatorId, headers } = await addOperator(gateway, 'admin')
      await sql`update operators set disabled_at = now() where id = ${operatorId}`.execute(
        gateway.db,
      )
      return headers
    },
    outcome: never,
  },
  'an operator’s token whose session is over': {
    async headers() {
      const { sessionId, headers } = await addOperator(gateway, 'admin')
      await endOperatorSession(gateway.db, { sessionId, reason: 'test' })
      return headers
    },
    outcome: never,
  },
  'an expired token of an operator': {
    async headers() {
      const { sessionId } = await addOperator(gateway, 'admin')
      const old = createDashboardTokens(gateway.secret, -1, 'operator')
      return bearer(await old.make(sessionId))
    },
    outcome: never,
  },
  'a malformed token': { headers: async () => bearer('a.b.c'), outcome: never },
}

/** The consent of a person, which only the browser finds that an agent sent there. */
const needsCookie = ({ path }: RouteAccess) => path === '/api/oauth/interactions/:uid'

/** All but the endpoint for agents, whose refusals are its own (test/api/agent/access.test.ts). */
const closedRoutes = () =>
  gateway.server.access.filter(
    ({ credentials }) => credentials.length > 0 && !credentials.includes('agent'),
  )

for (const [name, { headers, outcome }] of Object.entries(credentials)) {
  test(`${name}: every route answers as it declares`, async (t) => {
    const { accountId } = await busyCustomer()
    const [nobody, noOperator] = await Promise.all(
      ['/api/jobs', '/api/operator/nodes'].map(
        async (path) => (await gateway.server.inject(path)).body,
      ),
    )
    for (const route of closedRoutes()) {
      const where = `${route.method} ${route.path}`
      const sent = { accountId, headers: await headers(accountId, route) }
      const { status, text } = await ask(route, sent)
      const expected = outcome(route)
      if (expected === 'taken') t.false([401, 403].includes(status), `${where}: ${status} ${text}`)
      else t.is(status, expected === 'unknown' ? 401 : 403, where)
      const isFound = route.path.includes('/:') && !needsCookie(route)
      if (expected === 'taken' && isFound) t.not(status, 404, where)
      if (status !== 401 || route.method === 'HEAD') continue
      t.is(text, (route.credentials.includes('operator') ? noOperator : nobody) ?? '', where)
    }
  })
}

test('no route shows anything of this account to another’s key or token', async (t) => {
  const { accountId } = await busyCustomer()
  const other = await busyCustomer()
  const jobId = await addJob(gateway.db, accountId)
  const { id: keyId } = await newKey(accountId)
  for (const route of closedRoutes()) {
    const where = `${route.method} ${route.path}`
    const token = await gateway.context.tokens.make(await newSession(other.accountId))
    for (const headers of [withKey(other.key), bearer(token)]) {
      const { status, text } = await ask(route, { accountId, headers })
      if (route.path.includes('/:')) t.true([403, 404].includes(status), `${where}: ${status}`)
      for (const id of [accountId, jobId, keyId]) t.false(text.includes(id), where)
    }
  }
})

test('a credential of the other kind learns which route takes it', async (t) => {
  const { accountId, key } = await gateway.customer()
  const token = bearer(await gateway.context.tokens.make(await newSession(accountId)))
  const asked = [
    [
      '/api/render',
      withKey(key),
      /takes a dashboard token.*; API keys go to POST \/api\/render\/api-key$/,
    ],
    [
      '/api/render/image/bulk',
      withKey(key),
      /API keys go to POST \/api\/render\/image\/bulk\/api-key$/,
    ],
    [
      '/api/render/validate/api-key',
      token,
      /takes an API key.*; Dashboard tokens go to POST \/api\/render\/validate$/,
    ],
    [
      '/api/auth/sign-out',
      withKey(key),
      /takes a dashboard token as Authorization: Bearer\. Got an API key in the header x-api-key$/,
    ],
  ] as const
  for (const [url, headers, message] of asked) {
    const reply = await gateway.server.inject({ method: 'POST', url, headers })
    t.is(reply.statusCode, 403, url)
    t.regex(reply.json().message, message)
  }
})

test('a route open to anyone does not look at credentials', async (t) => {
  const open = gateway.server.access.filter((route) => route.credentials.length === 0)
  t.true(open.length > 0)
  for (const route of open) {
    const { status } = await ask(route, { accountId: '', headers: {} })
    const wrong = { ...withKey('svc_123'), ...bearer('a.b.c') }
    t.is((await ask(route, { accountId: '', headers: wrong })).status, status, route.path)
  }
})

test('a route without an access rule keeps the server from starting', async (t) => {
  for (const config of [undefined, { credentials: ['key'] as const }]) {
    const { server, stop } = await gateway.startReplica()
    t.teardown(stop)
    server.get('/api/forgotten', { ...(config && { config }) }, async () => ({}))
    await t.throwsAsync(async () => await server.ready(), { message: /GET \/api\/forgotten/ })
  }
})

test('the published interface says of every route what it takes', async (t) => {
  const { paths } = (await gateway.server.inject('/openapi.json')).json()
  const { post } = paths['/api/render/api-key']
  t.deepEqual(post.security, [{ key: [] }])
  t.truthy(post.responses['401'])
  t.truthy(post.responses['403'])
  t.deepEqual(paths['/api/render'].post.security, [{ session: [] }])
  t.deepEqual(paths['/api/jobs'].get.security, [{ key: [] }, { session: [] }])
  const signIn = paths['/api/auth/sign-in'].post
  t.truthy(signIn.requestBody.content['application/json'].schema.properties.email)
})

test('every published operation has a text and a unique name', async (t) => {
  const { paths, tags } = (await gateway.server.inject('/openapi.json')).json()
  type Operation = { operationId: string; summary: string; tags: string[] }
  const published = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      ...operation,
    })),
  )
  for (const { name, summary, operationId, tags: own } of published) {
    t.truthy(summary, name)
    t.truthy(operationId, name)
    for (const tag of own)
      t.true(
        tags.some((each: { name: string }) => each.name === tag),
        name,
      )
  }
  t.is(new Set(published.map(({ operationId }) => operationId)).size, published.length)
  const names = published.map(({ name }) => name)
  t.deepEqual(Object.keys(operations).toSorted(), names.toSorted())
})
