import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { Worker } from '@temporalio/worker'
import test from 'ava'
import { workflowBundle } from '../../workflows/bundle.ts'
import { silent } from '../store/database.ts'

type History = Parameters<typeof Worker.runReplayHistory>[1]
const { temporal } = createRequire(createRequire(import.meta.url).resolve('@temporalio/worker'))(
  '@temporalio/proto',
) as { temporal: { api: { history: { v1: { History: { decode(bytes: Buffer): History } } } } } }

/** Five failed attempts, as recorded before retries had a queue of their own (decision 0081). */
test('a delivery begun before retries had a queue of their own goes on', async (t) => {
  const file = new URL('./histories/webhook-delivery.b64', import.meta.url)
  const bytes = Buffer.from(await readFile(file, 'utf8'), 'base64')
  const history = temporal.api.history.v1.History.decode(bytes)
  const options = { workflowBundle: await workflowBundle(silent) }
  await t.notThrowsAsync(Worker.runReplayHistory(options, history, 'delivery'))
})
