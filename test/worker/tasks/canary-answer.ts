import { createHash } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import {
  type CanaryResult,
  canaryFrames,
  canaryKind,
  canaryObject,
  canaryPixels,
} from '../../../core/fleet/canary.ts'
import { createLanes } from '../../../worker/agent/lanes.ts'
import { type Outcome, runTask } from '../../../worker/agent/run-task.ts'
import { nodeOf, objectsOf } from './node-of.ts'

/** Hashes of the frames that must be painted. */
export const hashes = canaryFrames().map((frame) =>
  createHash('sha256').update(canaryPixels(frame)).digest('hex'),
)

/** A real node's answer to a canary for these encoders, and its objects in the store. */
export async function answerTo(t: ExecutionContext, encoders: readonly string[]) {
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
    spec: { encoders },
    inputs: [{ name: canaryObject, url }],
    outputs: [{ name: canaryObject, url }],
  }
  const outcome = await runTask(task, {
    node: { ...node, lanes: createLanes(1) },
    workDir,
    signal: new AbortController().signal,
    progress: () => undefined,
    previewed: () => undefined,
    written: () => undefined,
    wanted: () => [],
    follow: () => ({ isFollowed: false }),
  })
  return { outcome, stored: objects.objects.get(canaryObject) }
}

export function resultOf(outcome: Outcome): CanaryResult {
  if (outcome.done) return outcome.result as CanaryResult
  throw new Error(`${outcome.message} ${outcome.logTail}`)
}
