import test from 'ava'
import { readConfig } from '../../../scheduler/config.ts'
import { openContext } from '../../../scheduler/context.ts'
import { lease } from '../../../scheduler/rpc/lease.ts'
import { renew } from '../../../scheduler/rpc/renew.ts'
import { listNodes } from '../../../store/db/fleet/list-nodes.ts'
import {
  addAccount,
  addJob,
  addNode,
  addTask,
  silent,
  startDatabase,
} from '../../store/database.ts'

const { db, url, stop } = await startDatabase()
for (const name of Object.keys(process.env)) if (/^AWS_/.test(name)) delete process.env[name]
const absent = '/nowhere/that/is'
const files = { AWS_SHARED_CREDENTIALS_FILE: absent, AWS_CONFIG_FILE: absent }
Object.assign(process.env, { AWS_EC2_METADATA_DISABLED: 'true', ...files })
const config = readConfig({
  DATABASE_URL: url,
  FARM_OBJECTS: 's3://127.0.0.1:9/farm?ssl=0',
  FARM_PUBLIC_URL: 'http://127.0.0.1:1',
  FARM_SECRET: 'a secret of the tests',
})
const { context, close } = openContext(config, silent)
test.after.always(async () => {
  await close()
  await stop()
})

test('a task whose URLs cannot be signed is requeued at once', async (t) => {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  const nodeId = await addNode(db)
  await addTask(db, { accountId, jobId })
  const here = { isGone: () => false, onGone: () => undefined }
  const work = lease(context, { nodeId, slots: 4, waitMs: 0 }, here)
  await t.throwsAsync(work, { message: /credentials must/ })
  const tasks = db.selectFrom('tasks').select('state')
  t.deepEqual(await tasks.execute(), [{ state: 'queued' }])
})

test('the usage in each call of a node is kept in bounds', async (t) => {
  // The other test's task is not for it.
  const nodeId = await addNode(db, { kinds: ['bake'] })
  const here = { isGone: () => false, onGone: () => undefined }
  const usage = { cpu: 7, memoryUsedMb: 1, memoryMb: 2, diskUsedMb: 3, diskMb: 4 }
  const kept = async () => (await listNodes(db, { seenWithinMs: 0, node: nodeId }))[0]?.usage
  await lease(context, { nodeId, slots: 1, waitMs: 0, usage }, here)
  t.deepEqual(await kept(), { ...usage, cpu: 1 })
  await renew(context, { nodeId, tasks: [], pause: '', usage: { ...usage, cpu: 0.5 } })
  t.deepEqual(await kept(), { ...usage, cpu: 0.5 })
  await renew(context, { nodeId, tasks: [], pause: '', usage: { ...usage, cpu: Number.NaN } })
  t.deepEqual(await kept(), { ...usage, cpu: 0.5 })
})
