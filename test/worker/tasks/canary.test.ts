import { createHash } from 'node:crypto'
import test from 'ava'
import { canaryFrames, canaryKind, canaryObject, canaryPixels } from '../../../core/canary.ts'
import { createLanes } from '../../../worker/lanes.ts'
import { runTask } from '../../../worker/run-task.ts'
import { nodeOf, objectsOf } from './node-of.ts'

test('a real node paints the canary as it is known, encodes it and reads it back', async (t) => {
  const objects = await objectsOf(t)
  const { node, workDir } = await nodeOf(t)
  const url = objects.url(canaryObject)
  const task = {
    id: 'canary-1',
    attempt: 1,
    kind: canaryKind,
    jobId: '',
    accountId: '',
    slots: 1,
    spec: { encoder: 'libx264' },
    inputs: [{ name: canaryObject, url }],
    outputs: [{ name: canaryObject, url }],
  }
  const outcome = await runTask(task, {
    node: { ...node, lanes: createLanes(1) },
    workDir,
    signal: new AbortController().signal,
    progress: () => undefined,
    previewed: () => undefined,
  })
  const frames = canaryFrames().map((frame) =>
    createHash('sha256').update(canaryPixels(frame)).digest('hex'),
  )
  t.deepEqual(outcome, { done: true, result: { frames } })
  t.true((objects.objects.get(canaryObject)?.length ?? 0) > 500)
})
