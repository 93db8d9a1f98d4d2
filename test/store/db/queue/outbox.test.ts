import { randomUUID } from 'node:crypto'
import { claimOutbox } from '../../../../store/db/queue/claim-outbox.ts'
import { markSent } from '../../../../store/db/queue/mark-sent.ts'
import { addJob, addNode, addTask, completeTask } from '../../database.ts'
import { startQueue } from './queue.ts'

const { db, queueTest, leaseOne, newJob } = await startQueue()

queueTest('a task event is claimed by one relay, and comes back until it is sent', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  for (let i = 0; i < 20; i++) {
    await addTask(db, job)
    await completeTask(db, { ...(await leaseOne(nodeId)), result: {} })
  }
  const taken = await Promise.all(Array.from({ length: 5 }, () => claimOutbox(db, { limit: 10 })))
  const ids = taken.flat().map((event) => event.id)
  t.is(new Set(ids).size, 20)
  t.is(ids.length, 20)
  await markSent(db, ids.slice(0, 15))
  await db
    .updateTable('task_words')
    .set({ claimed_until: new Date(0) })
    .execute()
  t.is((await claimOutbox(db, { limit: 100 })).length, 5)
})

queueTest('a task event says whether more for the same workflow will come', async (t) => {
  const first = await newJob()
  const second = { ...first, jobId: await addJob(db, first.accountId) }
  const alone = await newJob()
  const inGroup = db.updateTable('jobs').set({ workflow_group: randomUUID() })
  await inGroup.where('id', 'in', [first.jobId, second.jobId]).execute()
  const nodeId = await addNode(db)
  const goesOn = async () => {
    await completeTask(db, { ...(await leaseOne(nodeId)), result: {} })
    return (await claimOutbox(db, { limit: 10 })).map((event) => event.groupGoesOn)
  }
  await addTask(db, alone)
  t.deepEqual(await goesOn(), [false])
  await addTask(db, first)
  await addTask(db, second)
  t.deepEqual(await goesOn(), [true], 'one is in the queue')
  const leased = await leaseOne(nodeId)
  await addTask(db, first)
  t.deepEqual(await goesOn(), [true], 'one is with a node')
  await completeTask(db, { ...leased, result: {} })
  t.deepEqual(
    (await claimOutbox(db, { limit: 10 })).map((event) => event.groupGoesOn),
    [false],
  )
})
