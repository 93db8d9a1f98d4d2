import {
  canaryFault,
  canaryFrames,
  canaryKind,
  canaryObject,
  canaryPixels,
} from '../../core/fleet/canary.ts'
import { canaryPauseMs } from '../../core/fleet/node-states.ts'
import { soundEncoders, videoEncoders } from '../../core/plan/formats.ts'
import type { Task } from '../../proto/gen/farm/v1/node.ts'
import { sha256 } from '../../runtime/sha256.ts'
import { inTransaction } from '../../store/db/database.ts'
import { endCanary } from '../../store/db/fleet/end-canary.ts'
import { giveCanary } from '../../store/db/fleet/give-canary.ts'
import type { SeenNode } from '../../store/db/fleet/see-nodes.ts'
import type { NodeOffer } from '../../store/db/fleet-schema.ts'
import { checkKey } from '../../store/objects/keys.ts'
import type { SchedulerContext } from '../context.ts'
import { decideNode, recordDecision } from './node-acts.ts'

const answerWithinMs = 60_000

/** Leases the canary of a quarantined node, when one is due. */
export async function leaseCanary(
  { db, signer, log }: SchedulerContext,
  { nodeId, node }: { nodeId: string; node: SeenNode },
): Promise<Task[]> {
  const pauseMs = canaryPauseMs(node.canariesFailed)
  const id = await giveCanary(db, { nodeId, pauseMs, answerWithinMs })
  if (id === undefined) return []
  log.info({ node: nodeId, canary: id }, 'a quarantined node gets a canary')
  const key = checkKey(`canaries/${nodeId}`)
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
      spec: { encoders: encodersOf(node.offer) },
      inputs: [{ name: canaryObject, url: get }],
      outputs: [{ name: canaryObject, url: put }],
    },
  ]
}

/**
 * Takes a node's answer to its canary: a result, or a failure. False when the node has no canary of
 * this id.
 */
export async function answerCanary(
  { db, log, metrics }: SchedulerContext,
  {
    nodeId,
    canaryId,
    ...answer
  }: { nodeId: string; canaryId: string } & (
    | { readonly result: unknown }
    | { readonly failure: string }
  ),
): Promise<boolean> {
  const fault = await inTransaction(db, async (tx) => {
    const offer = await endCanary(tx, { nodeId, canaryId })
    if (!offer) return undefined
    const encoders = encodersOf(offer)
    const why =
      'failure' in answer
        ? answer.failure
        : canaryFault(answer.result, { hashes: knownFrames(), encoders })
    if (why === undefined) {
      await decideNode(tx, { nodeId, act: 'release', reason: 'it passed a canary' })
    } else await recordDecision(tx, { nodeId, act: 'canary failed', reason: why })
    return { why }
  })
  if (!fault) return false
  metrics.canaryAnswered(fault.why === undefined)
  if (fault.why === undefined) log.info({ node: nodeId }, 'a quarantined node passed its canary')
  else log.warn({ node: nodeId, ...fault }, 'a quarantined node failed its canary')
  return true
}

/** Encoders that the farm knows; a node gets no work for others. */
function encodersOf({ encoders }: NodeOffer): string[] {
  return [...videoEncoders, ...soundEncoders].filter((name) => encoders.includes(name))
}

function knownFrames(): string[] {
  return canaryFrames().map((frame) => sha256(canaryPixels(frame)))
}
