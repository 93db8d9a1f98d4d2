import test from 'ava'
import { isPassword } from '../../api/account/password.ts'
import { withDefaults } from '../../api/oauth/consent-settings.ts'
import { hashKey } from '../../store/db/accounts/create-key.ts'
import { findKey } from '../../store/db/accounts/find-key.ts'
import { findUser } from '../../store/db/accounts/find-user.ts'
import { insertAgentGrant } from '../../store/db/agents/insert-agent-grant.ts'
import { startDatabase } from '../store/database.ts'
import { farm } from './run-farm.ts'

const { db, url, stop } = await startDatabase()
test.after.always(stop)

const env = { DATABASE_URL: url, FARM_OPERATOR: 'ada' }
const run = async (...args: string[]) => await farm(args, { env })
const why = ['--why', 'a test']

async function json(...args: string[]) {
  const { code, out, err } = await run(...args, '--json')
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}

const newAccount = async (name: string) =>
  (await json('accounts', 'create', name, ...why)).id as string

test('an account is made, found, and put on another plan', async (t) => {
  const made = await json('accounts', 'create', 'Ada & Sons', '--plan', 'pro', ...why)
  t.like(made, { name: 'Ada & Sons', plan: 'pro', credits: 0, reserved: 0 })
  t.deepEqual(await json('accounts', 'show', made.id), made)
  t.is((await json('accounts', 'set-plan', made.id, 'studio', ...why)).plan, 'studio')
  const { out } = await run('accounts', 'list')
  t.regex(out, /^id +name +plan +credits +reserved +created +suspended +closed\n/)
  t.regex(out, new RegExp(`^${made.id}  Ada & Sons +studio +0 +0  20\\d\\d-.*Z +- +-$`, 'm'))
})

test('credits are granted, and the ledger tells of it with its balances', async (t) => {
  const id = await newAccount('Granted')
  await json('credits', 'grant', id, '50', '--note', 'welcome', ...why)
  const { balance } = await json('credits', 'grant', id, '7', ...why)
  t.is(balance, 57)
  t.deepEqual(await json('credits', 'balance', id), { balance: 57, reserved: 0, available: 57 })
  const { out } = await run('credits', 'history', id)
  t.regex(out, /grant +7 +0 +57 +- +granted by an operator\n.*grant +50 +0 +50 +- +welcome\n$/)
  t.is((await json('credits', 'history', id, '--limit', '1')).length, 1)
})

test('a key is shown once, with its limits, and revoked', async (t) => {
  const id = await newAccount('Keyed')
  const limits = ['--scopes', 'render,jobs', '--expires', '2999-01-01T00:00:00Z', '--cap', '9']
  const { out } = await run('keys', 'create', id, 'ci', ...limits, ...why)
  const [key = ''] = out.split('\n')
  t.regex(key, /^svc_[0-9a-f]{64}$/)
  const found = await findKey(db, hashKey(key))
  t.like(found, { accountId: id, creditCap: 9 })
  t.deepEqual(found?.scopes, ['render', 'jobs'])
  const [listed] = await json('keys', 'list', id)
  t.like(listed, { id: found?.keyId, name: 'ci', cap: 9, spent: 0 })
  const other = await newAccount('Other')
  t.is((await run('keys', 'revoke', other, listed.id, ...why)).code, 1)
  t.is((await run('keys', 'revoke', id, listed.id, ...why)).out, `revoked ${listed.id}\n`)
  t.is(await findKey(db, hashKey(key)), undefined)
  t.is((await run('keys', 'list', id)).out, 'none\n')
})

test('a connected agent is listed and disconnected', async (t) => {
  const id = await newAccount('Agents')
  const { id: userId } = await json('users', 'create', id, 'agent@example.com', ...why)
  const client = { clientId: 'client', clientName: 'Claude', redirectHost: 'claude.ai' }
  const consent = { accountId: id, userId, ...client, ...withDefaults({ totalCap: 500 }) }
  const { id: agent } = await insertAgentGrant(db, consent)
  const [listed, ...others] = await json('agents', 'list', id)
  t.deepEqual(others, [])
  t.like(listed, { id: agent, name: 'Claude', host: 'claude.ai', user: 'agent@example.com' })
  t.like(listed, { profile: 'creator', spent: 0, render: 120, total: 500, bulk: 25, used: null })
  const other = await newAccount('No agents')
  t.is((await run('agents', 'disconnect', other, agent, ...why)).code, 1)
  t.is((await run('agents', 'disconnect', id, agent, ...why)).out, `disconnected ${agent}\n`)
  t.is((await run('agents', 'disconnect', id, agent, ...why)).code, 1)
  t.is((await run('agents', 'list', id)).out, 'none\n')
})

test('a user gets a password that is made up, and another one', async (t) => {
  const id = await newAccount('Manned')
  const made = await json('users', 'create', id, 'Ada@Example.com', '--first-name', 'Ada', ...why)
  const stored = async () => (await findUser(db, 'ada@example.com'))?.password
  t.true(await isPassword(made.password, await stored()))
  const taken = await run('users', 'create', id, 'ada@example.COM', ...why)
  t.is(taken.code, 1)
  t.regex(taken.err, /EMAIL must be new\. Got ada@example\.COM/)
  const changed = await json('users', 'set-password', 'ADA@example.com', ...why)
  t.true(await isPassword(changed.password, await stored()))
  t.false(await isPassword(made.password, await stored()))
  t.like(await json('users', 'list', id), [{ email: 'Ada@Example.com', name: 'Ada' }])
})

test('a password comes from standard input, and must be long enough', async (t) => {
  const id = await newAccount('Piped')
  const create = async (password: string) => {
    const script = `printf '%s\\n' '${password}' | "$0" "$@"`
    const args = ['users', 'create', id, 'bob@example.com', '--password-stdin', ...why]
    const launcher = new URL('../../farm', import.meta.url).pathname
    return await farm([launcher, ...args], { env, command: ['/bin/sh', '-c', script] })
  }
  const short = await create('too short')
  t.is(short.code, 2)
  t.is(short.err, 'farm: The password must have 12 to 1000 characters. Got 9\n')
  const { code, out } = await create('long enough now')
  t.is(code, 0)
  t.is(out, 'bob@example.com may sign in\n')
  const user = await findUser(db, 'bob@example.com')
  t.true(await isPassword('long enough now', user?.password))
})

test('wrong usage ends with code 2, a missing object with code 1', async (t) => {
  const nobody = '00000000-0000-4000-8000-000000000000'
  const wrong: [string[], number, RegExp][] = [
    [['accounts', 'show', '12'], 1, /must be the id or the name of an account\. Got 12/],
    [
      ['accounts', 'show', nobody],
      1,
      /ACCOUNT must be the id or the name of an account\. Got 0000/,
    ],
    [
      ['accounts', 'set-plan', nobody, 'gold', ...why],
      2,
      /must be one of free, pro, studio\. Got gold/,
    ],
    [['credits', 'grant', nobody, '-5', ...why], 2, /must be an integer from 1 .* Got -5/],
    [['credits', 'grant', nobody, '0', ...why], 2, /must be an integer from 1/],
    [['keys', 'create', nobody, 'x', '--scopes', 'all', ...why], 2, /must be out of render, jobs/],
    [
      ['keys', 'create', nobody, 'x', '--expires', '2020-01-01T00:00:00Z', ...why],
      2,
      /in the future/,
    ],
    [
      ['keys', 'create', nobody, 'x', '--expires', '2999-02-30T00:00:00Z', ...why],
      2,
      /in the future/,
    ],
    [['users', 'create', nobody, 'ada', ...why], 2, /must look like name@example\.com\. Got ada/],
    [['accounts', 'set-plan', nobody, 'pro', ...why], 1, /ACCOUNT must be the id or the name/],
    [['keys', 'revoke', nobody, nobody], 2, /required option '--why <text>' not specified/],
    [['keys', 'revoke', nobody, nobody, '--why', ' '], 2, /must not be empty\. Got nothing/],
    [['keys', 'create', nobody, '', ...why], 2, /must be a name of 1 to 100 .* Got ""/],
    [['accounts', 'create', 'a\nb', ...why], 2, /must be a name of 1 to 100 .* Got "a\\nb"/],
    [['keys'], 2, /Usage: farm keys/],
  ]
  for (const [args, code, said] of wrong) {
    const ended = await run(...args)
    t.is(ended.code, code, args.join(' '))
    t.regex(ended.err, said)
  }
})

test('each act is recorded with actor and reason, a failed one not', async (t) => {
  const id = await newAccount('Audited')
  const [key] = [await json('keys', 'create', id, 'ci', '--why', 'for the build')]
  await json('accounts', 'set-plan', id, 'pro', '--why', 'they pay', '--by', 'bob')
  await json('credits', 'grant', id, '5', '--why', 'an outage')
  await json('users', 'create', id, 'eve@example.com', '--why', 'hired')
  t.is((await run('users', 'create', id, 'eve@example.com', '--why', 'again')).code, 1)
  await json('users', 'set-password', 'eve@example.com', '--why', 'lost it')
  await json('keys', 'revoke', id, key.id, '--why', 'it leaked')
  t.is((await run('keys', 'revoke', id, key.id, '--why', 'again')).code, 1)
  const acts: Record<string, string>[] = await json('audit', id)
  t.true(acts.every(({ subject }) => subject === id))
  t.deepEqual(
    acts.map((act) => `${act.actor}: ${act.act}, ${act.why}`),
    [
      `ada: keys revoke ${key.id}, it leaked`,
      'ada: users set-password eve@example.com, lost it',
      'ada: users create eve@example.com, hired',
      'ada: credits grant 5, an outage',
      'bob: accounts set-plan pro, they pay',
      'ada: keys create ci, for the build',
      'ada: accounts create Audited, a test',
    ],
  )
  t.is((await json('audit', '--limit', '2')).length, 2)
})
