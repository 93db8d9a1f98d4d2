import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { canaryFrames, canaryPixels } from '../../../core/fleet/canary.ts'
import { readConfig } from '../../../scheduler/config.ts'
import { openContext } from '../../../scheduler/context.ts'
import { complete } from '../../../scheduler/rpc/complete.ts'
import { fail } from '../../../scheduler/rpc/fail.ts'
import { lease } from '../../../scheduler/rpc/lease.ts'
import { renew } from '../../../scheduler/rpc/renew.ts'
import { listActs } from '../../../store/db/fleet/list-acts.ts'
import {
  addAccount,
  addJob,
  addNode,
  addTask,
  silent,
  startDatabase,
} from '../../store/database.ts'

const { db, url, stop } = await startDatabase()
const objects = mkdtempSync(join(tmpdir(), 'farm-canary-'))
const config = readConfig({
  DATABASE_URL: url,
  FARM_SCHEDULER_PORT: '0',
  FARM_OBJECTS: `file:${objects}`,
  FARM_PUBLIC_URL: 'http://127.0.0.1:1',
  FARM_SECRET: 'a secret of the tests',
})
const { context, close } = openContext(config, silent)
test.after.always(async () => {
  await close()
  await stop()
  rmSync(objects, { recursive: true, force: true })
})

const here = { isGone: () => false, onGone: () => undefined }
const ask = async (nodeId: string) =>
  (await lease(context, { nodeId, slots: 4, waitMs: 0 }, here)).tasks
const broken = {
  code: 'internal',
  message: 'x',
  field: '',
  logTail: '',
  triesMax: 0,
  retryAfterMs: 0,
  refused: false,
}
const stateOf = async (nodeId: string) =>
  (await db.selectFrom('nodes').select('state').where('id', '=', nodeId).executeTakeFirstOrThrow())
    .state

/** Moves the node's times back, so that its wait is over. */
async function passTime(nodeId: string): Promise<void> {
  const long = new Date(Date.now() - 3_600_000)
  const node = db.updateTable('nodes').where('id', '=', nodeId)
  await node.set({ state_since: long }).execute()
  await node.set({ canary_until: long }).where('canary_until', 'is not', null).execute()
}

const encoders = ['aac', 'mpeg4', 'libx264']
const filmOf = (encoder: string, psnr: number) => ({
  ...{ encoder, psnr },
  ...{ frames: 8, width: 256, height: 256 },
})
const right = {
  frames: canaryFrames().map((frame) =>
    createHash('sha256').update(canaryPixels(frame)).digest('hex'),
  ),
  films: [filmOf('libx264', 40), filmOf('mpeg4', 40)],
  sounds: [{ encoder: 'aac', seconds: 1, snr: 40 }],
}

test('a node that fails what others do is quarantined until a canary', async (t) => {
  const accountId = await addAccount(db)
  const jobId = await addJob(db, accountId)
  const [bad, good] = [await addNode(db, { encoders }), await addNode(db)]
  for (let i = 0; i < 3; i++) {
    await addTask(db, { accountId, jobId })
    const [first] = await ask(bad)
    const failed = { nodeId: bad, taskId: first?.id ?? '', attempt: 1, ...broken }
    t.deepEqual(await fail(context, failed), { retried: true })
    await ask(good)
    await complete(context, { nodeId: good, taskId: first?.id ?? '', attempt: 2, result: {} })
  }
  t.is(await stateOf(bad), 'quarantined')
  t.is(await stateOf(good), 'active')
  await addTask(db, { accountId, jobId })
  t.deepEqual(await ask(bad), [], 'no work, and no canary yet')

  await passTime(bad)
  const [canary] = await ask(bad)
  t.is(canary?.kind, 'canary')
  t.deepEqual(canary?.spec, { encoders: ['libx264', 'mpeg4', 'aac'] })
  const held = { nodeId: bad, taskId: canary?.id ?? '', attempt: 1 }
  t.deepEqual(await ask(bad), [], 'one at a time')
  const progress = { ...held, framesDone: 0, previews: 0, written: [] }
  t.deepEqual(await renew(context, { nodeId: bad, tasks: [progress], pause: '' }), {
    stop: [],
    wanted: [],
    followed: [],
  })
  await complete(context, {
    ...held,
    result: { ...right, frames: right.frames.with(3, 'another') },
  })
  t.is(await stateOf(bad), 'quarantined', 'one frame was wrong')

  await passTime(bad)
  const [second] = await ask(bad)
  await fail(context, { ...held, taskId: second?.id ?? '', ...broken })
  t.is(await stateOf(bad), 'quarantined')

  await passTime(bad)
  const [third] = await ask(bad)
  const garbage = { ...right, films: [filmOf('libx264', 40), filmOf('mpeg4', 8)] }
  await complete(context, { ...held, taskId: third?.id ?? '', result: garbage })
  t.is(await stateOf(bad), 'quarantined', 'its second encoder writes garbage')

  await passTime(bad)
  const [fourth] = await ask(bad)
  await complete(context, { ...held, taskId: fourth?.id ?? '', result: right })
  t.is(await stateOf(bad), 'active')
  t.is((await ask(bad)).length, 1, 'it gets work again')
  const history = await listActs(db, { subject: bad, limit: 9 })
  t.deepEqual(
    history.map(({ actor, act, why }) => [actor, act, why]),
    [
      ['(scheduler)', 'nodes release', 'it passed a canary'],
      [
        '(scheduler)',
        'nodes canary failed',
        'the film of mpeg4 must match the painted frames with a PSNR >= 30 dB. Got 8.0 dB',
      ],
      ['(scheduler)', 'nodes canary failed', 'x'],
      ['(scheduler)', 'nodes canary failed', 'frame 3 differs from the expected frame'],
      ['(scheduler)', 'nodes quarantine', '3 tasks that it failed succeeded elsewhere'],
    ],
  )
})

test('an answer to a canary that was never given counts for nothing', async (t) => {
  const nodeId = await addNode(db)
  const answer = { nodeId, taskId: randomUUID(), attempt: 1, result: right }
  await t.throwsAsync(complete(context, answer), { message: 'No task has this id.' })
})
