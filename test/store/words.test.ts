import { markSent } from '../../store/db/statements/mark-sent.ts'
import { takeWords } from '../../store/db/statements/take-words.ts'
import { addNode, addTask, completeTask } from './database.ts'
import { startQueue } from './queue.ts'

const { db, queueTest, leaseOne, newJob } = await startQueue()

queueTest('a word is claimed by one relay, and comes back until it is sent', async (t) => {
  const job = await newJob()
  const nodeId = await addNode(db)
  for (let i = 0; i < 20; i++) {
    await addTask(db, job)
    await completeTask(db, { ...(await leaseOne(nodeId)), result: {} })
  }
  const taken = await Promise.all(Array.from({ length: 5 }, () => takeWords(db, { limit: 10 })))
  const ids = taken.flat().map((word) => word.id)
  t.is(new Set(ids).size, 20)
  t.is(ids.length, 20)
  await markSent(db, ids.slice(0, 15))
  await db
    .updateTable('task_words')
    .set({ claimed_until: new Date(0) })
    .execute()
  t.is((await takeWords(db, { limit: 100 })).length, 5)
})
