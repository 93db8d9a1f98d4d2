import test from 'ava'
import { createKey } from '../../store/db/accounts/create-key.ts'
import { listActs } from '../../store/db/fleet/list-acts.ts'
import { seeNodes } from '../../store/db/fleet/see-nodes.ts'
import { settleJob } from '../../store/db/jobs/settle-jobs.ts'
import { addAccount, addJob, addNode, addTask, startDatabase } from '../store/database.ts'
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

async function named(name: string): Promise<string> {
  const accountId = await addAccount(db, 100)
  await db.updateTable('accounts').set({ name }).where('id', '=', accountId).execute()
  return accountId
}

test('a limit names its pool or the farm, and slots or none', async (t) => {
  const wrong: readonly [string[], RegExp][] = [
    [['--slots', '0'], /POOL, --farm or --no-pool must say what to limit\. Got none of them/],
    [['gpu', '--farm', '--slots', '3'], /Got --farm and POOL gpu/],
    [
      ['', '--slots', '0'],
      /POOL must be a name, or --no-pool for the nodes that name none\. Got ""/,
    ],
    [['--no-pool', '--farm', '--slots', '0'], /Got --farm and --no-pool/],
    [['gpu'], /required option '--slots <n>' not specified/],
    [['gpu', '--slots', '-1'], /must be an integer from 0/],
  ]
  for (const [args, said] of wrong) {
    const ended = await run('pools', 'limit', ...args, ...why)
    t.is(ended.code, 2, args.join(' '))
    t.regex(ended.err, said)
  }
  t.deepEqual(await listActs(db, { limit: 9, subject: 'farm' }), [])
  await json('pools', 'limit', '--farm', '--slots', '7', ...why)
  // Tests beside this one have nodes without a pool, which are listed without a limit.
  const limits = async () =>
    (await json('pools'))
      .map((each: Record<string, unknown>) => [each.pool, each.slotsMax])
      .filter(([pool, slots]: [string | null, number | null]) => pool === null || slots !== null)
  t.deepEqual(await limits(), [[null, 7]])
  await json('pools', 'limit', '--farm', '--slots', 'none', ...why)
  t.deepEqual(await limits(), [[null, null]])
  await json('pools', 'limit', '--no-pool', '--slots', '3', ...why)
  t.deepEqual(await limits(), [
    [null, null],
    ['', 3],
  ])
  await json('pools', 'limit', '--no-pool', '--slots', 'none', ...why)
  const unknown = await run('pools', 'limit', 'gpuu', '--slots', '2', ...why)
  t.is(unknown.code, 0)
  t.regex(unknown.err, /no node is in pool gpuu now/)
  await json('pools', 'limit', 'gpuu', '--slots', 'none', ...why)
})

test('an account is known by its name, unless several have it', async (t) => {
  const id = await named('Mallory & Co')
  t.is((await json('accounts', 'show', 'mallory & co')).id, id)
  await named('Twin')
  await named('Twin')
  const twins = await run('accounts', 'show', 'Twin')
  t.is(twins.code, 1)
  t.regex(twins.err, /Got Twin, which several accounts are named: use the id/)
})

test('a suspended account is on record and can be resumed', async (t) => {
  await named('Suspect')
  t.truthy((await json('accounts', 'suspend', 'Suspect', ...why)).suspended)
  const again = await run('accounts', 'suspend', 'Suspect', ...why)
  t.is(again.code, 1)
  t.regex(again.err, /must not be suspended\. Got one that is/)
  t.is((await json('accounts', 'resume', 'Suspect', ...why)).suspended, null)
})

test('a balance is corrected downwards as far as nothing is held', async (t) => {
  const accountId = await named('Corrected')
  await addJob(db, accountId, 30)
  t.deepEqual(await json('credits', 'correct', 'Corrected', '-70', ...why), {
    ...{ balance: 30, reserved: 30, available: 0 },
  })
  const over = await run('credits', 'correct', 'Corrected', '-1', ...why)
  t.is(over.code, 1)
  t.regex(over.err, /must not remove credits held for jobs\. Got -1, but only 0 can be removed/)
  t.is((await json('credits', 'history', 'Corrected'))[0].kind, 'correction')
})

test('the owner of a found key is known by the key’s beginning', async (t) => {
  const accountId = await named('Leaky')
  const { key, id } = await createKey(db, { accountId, name: 'ci' })
  await json('keys', 'revoke', 'Leaky', id, ...why)
  for (const start of [key, key.slice(0, 12), key.slice(0, 9)]) {
    const [found] = await json('keys', 'find', start)
    t.like(found, { id, account: 'Leaky', accountId })
    t.truthy(found.revoked)
  }
  t.is((await run('keys', 'find', 'abc')).code, 2)
})

test('jobs are found by account, name, error and time, page by page', async (t) => {
  const accountId = await named('Busy')
  const ids = await Promise.all([1, 2, 3].map(() => addJob(db, accountId, 1)))
  const [broken = ''] = ids
  await db.updateTable('jobs').set({ name: 'Wedding 7' }).where('id', '=', broken).execute()
  const details = [
    { field: 'visuals[0].src', code: 'media_invalid', message: 'It breaks off' } as const,
  ]
  const error = { code: 'media_invalid', message: 'It breaks off', details } as const
  const settlement = { to: 'failed', error } as const
  await settleJob(db, { accountId, jobId: broken, reason: 'media_invalid', settlement })
  const found = async (...args: string[]) =>
    (await json('jobs', 'list', '--account', 'Busy', ...args)).map((job: { id: string }) => job.id)
  t.is((await found()).length, 3)
  t.deepEqual(await found('--name', 'wedding'), [broken])
  t.deepEqual(await found('--code', 'media_invalid'), [broken])
  t.deepEqual(await found('--from', '2999-01-01T00:00:00Z'), [])
  const pages = [await found('--limit', '2'), await found('--limit', '2', '--page', '2')]
  t.deepEqual(
    pages.map((page) => page.length),
    [2, 1],
  )
  t.is(new Set(pages.flat()).size, 3)
  const { out } = await run('jobs', 'explain', broken)
  const [first, ...lines] = out.split('\n')
  t.is(first, 'The job does not wait: it failed. media_invalid: visuals[0].src: It breaks off')
  t.regex(lines.join('\n'), /^\nTime: \d+\.\d s\n {2}waiting for its turn .* 100 %\n/)
})

test('a customer’s request is read with a reason, on record', async (t) => {
  const jobId = await addJob(db, await named('Private'), 1)
  const silent = await run('jobs', 'show', jobId, '--payload')
  t.is(silent.code, 2)
  t.regex(silent.err, /--why must say why the request of a customer is read/)
  const request = await json('jobs', 'show', jobId, '--payload', ...why)
  t.deepEqual(request, { payload: { name: 'film' } })
  const [{ actor, act } = {}] = await listActs(db, { limit: 1, subject: jobId })
  t.deepEqual([actor, act], ['ada', 'jobs read-request'])
})

test.serial('a queue without nodes says in JSON what is missing, too', async (t) => {
  const accountId = await named('Waiting')
  const jobId = await addJob(db, accountId)
  await addTask(db, { accountId, jobId })
  const [lane] = await json('queue')
  t.deepEqual(lane.missing, ['any node that takes work'])
})

test('a node shows how many lanes its slots share, where it tells', async (t) => {
  const [told, untold] = [await addNode(db, { lanes: 4 }), await addNode(db)]
  t.regex((await run('nodes', 'show', told)).out, /^lanes 4 for 8 slots$/m)
  t.regex((await run('nodes', 'show', untold)).out, /^lanes \? for 8 slots$/m)
  const sizes = { memoryUsedMb: 250, memoryMb: 1000, diskUsedMb: 90, diskMb: 100 }
  await seeNodes(db, [{ nodeId: told, usage: { cpu: 0.5, ...sizes } }])
  const shown = (await run('nodes', 'show', told)).out
  t.regex(shown, / 50 % +25 % +90 % /)
  t.regex(shown, /^uses 50 % of its processor, 250 of 1000 MB memory, 90 of 100 MB disk$/m)
  t.regex((await run('nodes', 'show', untold)).out, /^uses what its version does not tell$/m)
  await db.deleteFrom('nodes').execute()
})

test('a worker without a scheduler’s address refuses to start', async (t) => {
  const ended = await farm(['worker'], { env: { FARM_SCHEDULER_ADDRESS: '' } })
  t.is(ended.code, 2)
  t.regex(ended.err, /FARM_SCHEDULER_ADDRESS must be host:port/)
})
