import test from 'ava'
import { changeJob } from '../../cli/fleet/jobs.ts'
import { listActs } from '../../store/db/fleet/list-acts.ts'
import { settleJob } from '../../store/db/jobs/settle-jobs.ts'
import { addAccount, addJob, startDatabase } from '../store/database.ts'

const { db, url, stop } = await startDatabase()
test.after.always(stop)

test('an ended job is not cancelled, and no act is recorded', async (t) => {
  process.env.DATABASE_URL = url
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  const settlement = { to: 'cancelled', charge: 0 } as const
  await settleJob(db, { accountId, jobId, reason: 'a test', settlement })
  await t.throwsAsync(changeJob({ job: jobId, change: 'cancel', why: 'too late' }), {
    message: /must not have ended/,
  })
  t.deepEqual(await listActs(db, { limit: 9 }), [])
})
