import { createHash } from 'node:crypto'
import { Value } from 'typebox/value'
import {
  CanaryResult,
  canaryFrames,
  canaryKind,
  canaryObject,
  canaryPixels,
} from '../core/canary.ts'
import { canaryPauseMs } from '../core/node-states.ts'
import { videoEncoders } from '../core/plan/formats.ts'
import type { Task } from '../proto/gen/farm/v1/node.ts'
import { endCanary } from '../store/db/statements/end-canary.ts'
import { giveCanary } from '../store/db/statements/give-canary.ts'
import type { SeenNode } from '../store/db/statements/see-nodes.ts'
import { checkKey } from '../store/objects/keys.ts'
import type { SchedulerContext } from './context.ts'
import { decideNode } from './node-acts.ts'

const answerWithinMs = 60_000

/** The canary of a quarantined node, when the time for one has come. */
export async function leaseCanary(
  { db, signer, log }: SchedulerContext,
  { nodeId, node }: { nodeId: string; node: SeenNode },
): Promise<Task[]> {
  const pauseMs = canaryPauseMs(node.canariesFailed)
  const id = await giveCanary(db, { nodeId, pauseMs, answerWithinMs })
  if (id === undefined) return []
  log.info({ node: nodeId, canary: id }, 'a quarantined node gets a canary')
  const key = checkKey(`canaries/${nodeId}`)
  const encoder = videoEncoders.find((name) => node.offer.encoders.includes(name))
  const seconds = answerWithinMs / 1000
  const urls = [await signer.signGet(key, { seconds }), await signer.signPut(key, { seconds })]
  const [get = '', put = ''] = urls
  return [
    {
      id,
      attempt: 1,
      kind: canaryKind,
      jobId: '',
      accountId: '',
      slots: 1,
      spec: encoder === undefined ? {} : { encoder },
      inputs: [{ name: canaryObject, url: get }],
      outputs: [{ name: canaryObject, url: put }],
    },
  ]
}

/**
 * Takes a node's answer to its canary: `result` absent means that it failed. False when it was asked
 * for none of this id.
 */
export async function answerCanary(
  { db, log, metrics }: SchedulerContext,
  { nodeId, canaryId, result }: { nodeId: string; canaryId: string; result?: unknown },
): Promise<boolean> {
  const known = await endCanary(db, { nodeId, canaryId })
  if (!known) return false
  const passed = isRight(result)
  metrics.canaryAnswered(passed)
  if (passed) {
    await decideNode(db, { nodeId, act: 'release', reason: 'it passed a canary' })
    log.info({ node: nodeId }, 'a quarantined node passed its canary')
  } else log.warn({ node: nodeId, result }, 'a quarantined node failed its canary')
  return true
}

function isRight(result: unknown): boolean {
  if (!Value.Check(CanaryResult, result)) return false
  return result.frames.join() === knownFrames().join()
}

function knownFrames(): string[] {
  return canaryFrames().map((frame) =>
    createHash('sha256').update(canaryPixels(frame)).digest('hex'),
  )
}
