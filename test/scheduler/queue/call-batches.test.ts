import { createCallBatches } from '../../../scheduler/queue/call-batches.ts'
import { addNode, addTask } from '../../store/database.ts'
import { startQueue } from '../../store/db/queue/queue.ts'

const { db, queueTest, leaseOne, newJob } = await startQueue()

queueTest('a completion that the database refuses spoils none that came with it', async (t) => {
  const { completions } = createCallBatches(db)
  const job = await newJob()
  const [one, two] = [await addNode(db), await addNode(db)]
  for (let i = 0; i < 3; i++) await addTask(db, job)
  const [first, bad, last] = [await leaseOne(one), await leaseOne(two), await leaseOne(one)]
  const answers = await Promise.allSettled([
    completions.submit({ ...first, result: { n: 1 } }),
    completions.submit({ ...bad, result: { text: '\0' } }),
    completions.submit({ ...last, result: { n: 3 } }),
  ])
  t.like(answers[0], { value: { status: 'current' } })
  t.like(answers[1], { status: 'rejected', reason: { code: 'invalid_request' } })
  t.like(answers[2], { value: { status: 'current' } })
  const states = await db.selectFrom('tasks').select(['id', 'state']).execute()
  t.is(states.find(({ id }) => id === bad.taskId)?.state, 'leased')
  t.is(states.filter(({ state }) => state === 'completed').length, 2)
})
