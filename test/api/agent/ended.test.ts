import test from 'ava'
import { sql } from 'kysely'
import { hashKey } from '../../../store/db/accounts/create-key.ts'
import { setPassword } from '../../../store/db/accounts/set-password.ts'
import { suspendAccount } from '../../../store/db/accounts/suspend-account.ts'
import { bearer } from '../accounts.ts'
import { type Gateway, renderPath, requestOf, startGateway } from '../gateway.ts'
import { form, startHost } from '../oauth/agent-host.ts'
import { connect, listen } from './host.ts'

/** A connection is ended at one replica while its call runs at another. */

let gateway: Gateway
let replica: Awaited<ReturnType<Gateway['startReplica']>>
let url: URL

test.before(async () => {
  gateway = await startGateway()
  replica = await gateway.startReplica()
  url = await listen(replica)
  await oneSecond()
})
test.after.always(async () => {
  await replica?.stop()
  await gateway?.stop()
})

/** Seconds that the call would wait. */
const wait = 50

/**
 * Begins a call of another account at the same replica that takes one second, and no less: what is
 * answered before it took less than a second, however busy the machine is.
 */
async function oneSecond(): Promise<unknown> {
  clock ??= connectClock()
  const { call, id } = await clock
  return await call('get_render', { id, wait: 1 })
}
let clock: ReturnType<typeof connectClock> | undefined

async function connectClock() {
  const { key, post } = await gateway.customer()
  const { jobId: id } = (await post(renderPath, requestOf())).json()
  const { call } = await connect(url, { headers: { 'x-api-key': key } })
  return { call, id: String(id) }
}

/** Ends what a call depends on; answers the call, and whether a second had passed by then. */
async function endedWithinASecond<T>(called: Promise<T>, end: () => Promise<unknown>) {
  const order: string[] = []
  const answered = called.finally(() => order.push('answer'))
  await end()
  const second = oneSecond().finally(() => order.push('second'))
  const said = await answered
  await second
  return { said, order }
}

async function connected() {
  const host = await startHost(gateway)
  const tokens = await host.connect({ profile: 'creator' })
  const headers = bearer(tokens.access_token)
  const { jobId } = (await host.customer.post(renderPath, requestOf())).json()
  return { ...host, tokens, headers, jobId: String(jobId) }
}

type Connected = Awaited<ReturnType<typeof connected>>

async function disconnect({ person }: Connected) {
  const headers = bearer(person.accessToken)
  const at = '/api/agent-connections'
  const [{ id }] = (await gateway.server.inject({ url: at, headers })).json().connections
  return await gateway.server.inject({ method: 'DELETE', url: `${at}/${id}`, headers })
}

const ends: Readonly<Record<string, (connection: Connected) => Promise<unknown>>> = {
  'a disconnection': disconnect,
  'a sign-out': async ({ person }) =>
    await gateway.server.inject({
      ...{ method: 'POST', url: '/api/auth/sign-out' },
      headers: bearer(person.accessToken),
    }),
  'a revocation': async ({ clientId, tokens }) =>
    await form(gateway.server, '/oauth/revoke', {
      ...{ client_id: clientId, token: tokens.access_token },
    }),
  'a new password': async ({ person }) =>
    await setPassword(gateway.db, { email: person.email, password: 'another' }),
  'a suspension': async ({ customer: { accountId } }) =>
    await suspendAccount(gateway.db, { accountId, isSuspended: true }),
  'the removal of the user': async ({ person }) =>
    await sql`delete from users where id = ${person.userId}`.execute(gateway.db),
}

/** Ends the connection during a call; answers what the call said, and whether within a second. */
async function endDuringCall(
  end: (connection: Connected) => Promise<unknown>,
  era: 'auto' | 'legacy' = 'auto',
) {
  const connection = await connected()
  const { call, close } = await connect(url, { headers: connection.headers, era })
  const { promise: running, resolve } = Promise.withResolvers<void>()
  const called = call('get_render', { id: connection.jobId, wait }, { onprogress: () => resolve() })
  await Promise.race([running, called])
  const ended = await endedWithinASecond(called, () => end(connection))
  await close()
  return { ...ended.said, order: ended.order }
}

for (const [name, end] of Object.entries(ends)) {
  test.serial(`a call that runs at another replica ends with ${name}`, async (t) => {
    const { text, isError, order } = await endDuringCall(end)
    t.deepEqual(order, ['answer', 'second'])
    t.true(isError)
    t.regex(text, /^unauthorized: The connection was ended during this call\. .*connect again\.$/)
  })
}

const keyEnds: Readonly<Record<string, (key: { accountId: string }) => Promise<unknown>>> = {
  revoked: async ({ accountId }) =>
    await sql`update api_keys set revoked_at = now() where account_id = ${accountId}`.execute(
      gateway.db,
    ),
  suspended: async ({ accountId }) =>
    await suspendAccount(gateway.db, { accountId, isSuspended: true }),
  removed: async ({ accountId }) =>
    await sql`delete from api_keys where account_id = ${accountId}`.execute(gateway.db),
}

for (const [what, end] of Object.entries(keyEnds)) {
  test.serial(`a call by an API key ends when the key is ${what}`, async (t) => {
    const customer = await gateway.customer()
    const other = await gateway.customer()
    const begin = async ({ key, post }: typeof customer, seconds: number) => {
      const { jobId } = (await post(renderPath, requestOf())).json()
      const { call } = await connect(url, { headers: { 'x-api-key': key } })
      const { promise: running, resolve } = Promise.withResolvers<void>()
      const onprogress = () => resolve()
      const called = call('get_render', { id: String(jobId), wait: seconds }, { onprogress })
      await Promise.race([running, called])
      return { called }
    }
    const { called: others } = await begin(other, 3)
    const { called } = await begin(customer, wait)
    const { said, order } = await endedWithinASecond(called, () => end(customer))
    t.deepEqual(order, ['answer', 'second'])
    const { text, isError } = said
    t.true(isError)
    t.regex(text, /^unauthorized: The connection was ended .* ask the person for another one\.$/)
    t.like(await others, { isError: false, facts: { state: 'queued' } })
  })
}

test.serial('a call by an API key ends when the key expires', async (t) => {
  const customer = await gateway.customer()
  const [lasting, key] = [customer.key, await customer.anotherKey()]
  const { jobId } = (await customer.post(renderPath, requestOf())).json()
  const begin = async (by: string, seconds: number) => {
    const { call } = await connect(url, { headers: { 'x-api-key': by } })
    return async () => await call('get_render', { id: String(jobId), wait: seconds })
  }
  const [call, others] = [await begin(key, wait), await begin(lasting, 3)]
  await gateway.db
    .updateTable('api_keys')
    .set({ expires_at: new Date(Date.now() + 5_000) })
    .where('sha256', '=', hashKey(key))
    .execute()
  const [{ text, isError }, other] = await Promise.all([call(), others()])
  t.true(isError)
  t.regex(
    text,
    /^unauthorized: The API key expired during this call\. What it had begun goes on\. /,
  )
  t.regex(text, /ask the person for another one\.$/)
  t.like(other, { isError: false, facts: { state: 'queued' } })
})

test.serial('a call of the older era ends as soon', async (t) => {
  t.regex((await endDuringCall(disconnect, 'legacy')).text, /connection was ended/)
})

test.serial('an end is heard again after the connection to the database broke', async (t) => {
  const { isError } = await endDuringCall(async (connection) => {
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where query = 'listen agent_ends' and datname = current_database()`.execute(gateway.db)
    await disconnect(connection)
  })
  t.true(isError)
})

test.serial('the end of one connection leaves calls of others alone', async (t) => {
  const other = await connected()
  const { call } = await connect(url, { headers: other.headers })
  let isOver = false
  const called = call('get_render', { id: other.jobId, wait: 3 }).finally(() => {
    isOver = true
  })
  await endDuringCall(disconnect)
  t.false(isOver)
  t.like(await called, { isError: false, facts: { id: other.jobId, state: 'queued' } })
})
