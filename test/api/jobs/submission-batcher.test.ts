import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { sql } from 'kysely'
import { createKey } from '../../../store/db/accounts/create-key.ts'
import { addAccount } from '../../store/database.ts'
import { film, renderPath, requestOf, startGateway } from '../gateway.ts'

const gateway = await startGateway()
test.after.always(gateway.stop)
const { db } = gateway

/** Only this plan allows so many submissions. */
async function customer(credits: number) {
  const made = await gateway.customer(credits)
  await sql`update accounts set plan = 'studio' where id = ${made.accountId}`.execute(db)
  return made
}

/** Blocks the account's submissions until the lock is released. */
async function holdUp(accountId: string) {
  const transaction = await db.startTransaction().execute()
  await sql`select from accounts where id = ${accountId} for no key update`.execute(transaction)
  const waiting = async () => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows[0]?.n ?? 0
  }
  return {
    async untilSomeWait() {
      while ((await waiting()) === 0) await sleep(10)
    },
    waiting,
    letGo: async () => await transaction.commit().execute(),
  }
}

test.serial('a blocked account delays no other account’s submissions', async (t) => {
  const [many, one] = [await customer(1000), await customer(1000)]
  const held = await holdUp(many.accountId)
  const answers = Array.from({ length: 100 }, () => many.post(renderPath, requestOf()))
  await held.untilSomeWait()
  t.is((await one.post(renderPath, requestOf())).statusCode, 202)
  t.is(await held.waiting(), 1, 'one connection waits for all of them')
  await held.letGo()
  const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode)
  t.deepEqual(statuses, Array(100).fill(202))
  t.is((await many.get('/api/credits/balance')).json().reserved, 200)
})

test.serial(
  '200 parallel submissions on a slow disk are accepted with distinct places',
  async (t) => {
    const { post, accountId } = await customer(1000)
    await sql`create function slow() returns trigger language plpgsql
    as 'begin perform pg_sleep(0.2); return null; end'`.execute(db)
    await sql`create trigger slow after insert on jobs for each statement
    execute function slow()`.execute(db)
    t.teardown(() => sql`drop trigger slow on jobs`.execute(db))
    const all = Array.from({ length: 200 }, () => requestOf())
    const replies = await Promise.all(all.map((each) => post(renderPath, each)))
    t.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      Array(200).fill(202),
    )
    const places = replies.map((reply) => reply.json().queuePosition)
    t.is(new Set(places).size, 200)
    const { rows } = await sql<{ id: string }>`select id from jobs
    where account_id = ${accountId} order by created_at, id`.execute(db)
    t.deepEqual(
      rows.map(({ id }) => id),
      replies
        .map((reply) => reply.json())
        .toSorted((a, b) => a.queuePosition - b.queuePosition)
        .map(({ jobId }) => jobId),
      'their places are those in which they are rendered',
    )
  },
)

test.serial('each job of a batch is judged as if it came alone', async (t) => {
  const { post, send, accountId, get } = await customer(12)
  const { key } = await createKey(db, { accountId, name: 'capped', creditCap: 3 })
  const withCap = { 'x-api-key': key }
  const of = (seconds: number, more = {}) => ({
    ...requestOf({ ...film, duration: seconds }),
    ...more,
  })
  const jobId = randomUUID()
  const held = await holdUp(accountId)
  const before = post(renderPath, of(5, { jobId }))
  await held.untilSomeWait()
  const together = {
    taken: [post(renderPath, of(1, { jobId })), post(renderPath, of(1, { jobId }))],
    capped: [send('POST', renderPath, of(2), withCap), send('POST', renderPath, of(2), withCap)],
    unpaid: [post(renderPath, of(5)), post(renderPath, of(5))],
    unstorable: [post(renderPath, of(1, { variables: { a: 'NUL \0' } }))],
  }
  await held.letGo()
  t.is((await before).statusCode, 202)
  const statuses = Object.entries(together).map(async ([name, asked]) => {
    const replies = await Promise.all(asked)
    return [name, replies.map(({ statusCode }) => statusCode).toSorted()]
  })
  t.deepEqual(Object.fromEntries(await Promise.all(statuses)), {
    ...{ taken: [409, 409], capped: [202, 402], unpaid: [202, 402], unstorable: [422] },
  })
  t.deepEqual((await get('/api/credits/balance')).json(), {
    ...{ balance: 12, reserved: 12, available: 0 },
  })
  const { rows } = await sql`select credits_spent as spent from api_keys
    where account_id = ${accountId} and credit_cap is not null`.execute(db)
  t.deepEqual(rows, [{ spent: 2 }])
})

test.serial('a key with a cap learns that a jobId is taken', async (t) => {
  const { post, send, accountId } = await customer(12)
  const { key } = await createKey(db, { accountId, name: 'capped', creditCap: 5 })
  const request = requestOf()
  t.is((await post(renderPath, request)).statusCode, 202)
  t.is((await send('POST', renderPath, request, { 'x-api-key': key })).statusCode, 409)
})

test.serial('a place in a long queue is capped and counted again later', async (t) => {
  const { post } = await customer(1000)
  const crowd = await addAccount(db)
  const place = async () => (await post(renderPath, requestOf())).json().queuePosition
  const before = await place()
  await sql`insert into jobs (id, account_id, type, name, request, credits_reserved)
    select gen_random_uuid(), ${crowd}, 'image', 'one of many', '{}', 0
    from generate_series(1, 1000)`.execute(db)
  t.deepEqual([await place(), await place(), await place()], [1000, 1000, 1000])
  await sql`update jobs set state = 'cancelled', finished_at = now()
    where account_id = ${crowd}`.execute(db)
  // Waits until the length of the queue is counted again.
  await sleep(1_100)
  t.is(await place(), before + 4)
})
