import test from 'ava'
import { queueCommand } from '../../cli/commands/queue.ts'
import { listActs } from '../../store/db/fleet/list-acts.ts'
import { addAccount, startDatabase } from '../store/database.ts'

const { db, url, stop } = await startDatabase()
test.after.always(stop)

test('an account’s slots are set, and given back to its plan', async (t) => {
  process.env.DATABASE_URL = url
  const id = await addAccount(db)
  const share = async (...options: string[]) => {
    await queueCommand().parseAsync(['share', id, ...options, '--why', 'a test'], { from: 'user' })
    return await db
      .selectFrom('accounts')
      .select(['slots_guaranteed', 'slots_burst'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  }
  const set = await share('--burst', '3', '--guaranteed', '1')
  t.deepEqual(set, { slots_guaranteed: 1, slots_burst: 3 })
  t.deepEqual(await share('--burst', 'plan'), { slots_guaranteed: 1, slots_burst: null })
  t.deepEqual(await share('--guaranteed', 'plan'), { slots_guaranteed: null, slots_burst: null })
  t.is((await listActs(db, { limit: 9 })).length, 3)
})
