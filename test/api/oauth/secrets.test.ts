import test from 'ava'
import { sql } from 'kysely'
import { pino } from 'pino'
import { bearer, password } from '../accounts.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import { form, startHost } from './agent-host.ts'

const lines: string[] = []
const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) })

let gateway: Gateway
let replica: Awaited<ReturnType<Gateway['startReplica']>>

test.before(async () => {
  gateway = await startGateway()
  replica = await gateway.startReplica({}, log)
})
test.after.always(async () => {
  await replica?.stop()
  await gateway?.stop()
})

/** All rows of all tables, as a dump would show them. */
async function dump(): Promise<string> {
  const { db } = gateway
  const { rows: tables } = await sql<{ name: string }>`
    select quote_ident(table_name) as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db)
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select row_to_json(t)::text as row from ${sql.raw(name)} t`.execute(db)
    texts.push(...rows.map(({ row }) => row))
  }
  return texts.join('\n')
}

test('no log or dump holds a sign-in’s token, code or secret', async (t) => {
  const here: Gateway = { ...gateway, server: replica.server }
  const host = await startHost(here, {
    metadata: { token_endpoint_auth_method: 'client_secret_post' },
  })
  const { client_secret: secret } = host.registered.json()
  const shown = { client_secret: secret }

  const pending = await host.begin({ state: 'state-of-a-pending-sign-in' })
  const denied = await host.begin()
  const refusal = { body: { allow: false }, headers: bearer(host.person.accessToken) }
  await denied.browser.send('POST', denied.path, refusal)
  const unused = await host.consent()
  const consented = await host.consent()
  const first = (await host.redeem(consented, shown)).json()
  const second = (await host.refresh(first.refresh_token, shown)).json()
  await host.redeem(await host.consent(), { ...shown, code_verifier: 'wrong' })
  await host.refresh(second.refresh_token, { client_secret: 'wrong' })
  await replica.server.inject(`/api/jobs?access_token=${second.access_token}`)
  await replica.server.inject({ url: '/api/jobs', headers: bearer(second.access_token) })
  for (const query of [`access_token=${second.access_token}`, `api_key=${host.customer.key}`]) {
    const asked = { method: 'POST', url: `/mcp?${query}`, payload: {} } as const
    t.is((await replica.server.inject(asked)).statusCode, 400)
  }
  for (const token of [host.customer.key, second.access_token, second.refresh_token]) {
    for (const path of [`/mcp/${token}`, `/mcp;key=${token}`, `/oauth/revoke/${token}/x`]) {
      t.is((await replica.server.inject(path)).statusCode, 404)
    }
    t.is((await replica.server.inject(`/mcp/${token}/%zz`)).statusCode, 400)
  }
  const other = (await host.redeem(await host.consent(), shown)).json()
  const revoked = { token: other.refresh_token, client_id: host.clientId, ...shown }
  t.is((await form(replica.server, '/oauth/revoke', revoked)).statusCode, 200)
  const third = (await host.refresh(second.refresh_token, shown)).json()
  t.truthy(third.access_token)

  const secrets = {
    secret,
    pending: pending.uid,
    state: 'state-of-a-pending-sign-in',
    challenge: pending.asking.challenge,
    denied: denied.uid,
    unused: unused.code,
    code: consented.code,
    verifier: consented.asking.verifier,
    accesses: [first.access_token, second.access_token, other.access_token, third.access_token],
    refreshes: [first, second, other, third].map((tokens) => tokens.refresh_token),
    dashboard: host.person.accessToken,
    key: host.customer.key,
    password,
  }
  const texts = Object.entries(secrets).flatMap(([name, value]) =>
    [value].flat().map((text) => [name, String(text)] as const),
  )
  t.true(lines.length > 20)
  t.true(lines.some((line) => line.includes('"path":"/oauth/revoke/…/x"')))
  t.true(lines.some((line) => line.includes('"path":"/mcp;key=…"')))
  const whole = await dump()
  t.true(whole.includes(host.clientId))
  for (const [name, text] of texts) {
    t.true(text.length > 10, name)
    t.false(
      lines.some((line) => line.includes(text)),
      `${name} in the log`,
    )
    t.false(whole.includes(text), `${name} in the dump`)
  }
})
