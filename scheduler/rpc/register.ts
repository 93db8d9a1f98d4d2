import { type TaskKind, taskKinds } from '../../core/queue/tasks.ts'
import type { Offer, RegisterRequest, RegisterResponse } from '../../proto/gen/farm/v1/node.ts'
import { findBoundPool } from '../../store/db/fleet/enrolled-nodes.ts'
import { registerNode } from '../../store/db/fleet/register-node.ts'
import type { NodeOffer } from '../../store/db/fleet-schema.ts'
import type { SchedulerContext } from '../context.ts'
import { leaseMs, renewMs } from '../timing.ts'
import { checkInteger, checkText, checkTexts, checkUuid } from './checks.ts'

const textLength = 200
const maxSlots = 256

/** Registers the node. Kinds that this farm does not know are left out, not refused. */
export async function register(
  { db, log }: SchedulerContext,
  request: RegisterRequest,
): Promise<RegisterResponse> {
  const id = checkUuid('node_id', request.nodeId)
  const name = checkText('name', request.name, textLength)
  const version = checkText('version', request.version, textLength)
  const claimed = readOffer(request.offer)
  // An enrolled node belongs to the pool of its token, whatever it says.
  const pool = (await findBoundPool(db, id)) ?? claimed.pool
  const offer = { ...claimed, pool }
  await registerNode(db, { id, name, version, offer })
  log.info({ node: id, name, version, offer }, 'node registered')
  return { leaseMs, renewMs }
}

function readOffer(offer: Offer | undefined): NodeOffer {
  const many = { maxItems: 64, maxLength: textLength }
  return {
    kinds: checkTexts('offer.kinds', offer?.kinds ?? [], many).filter(isTaskKind),
    slots: checkInteger('offer.slots', offer?.slots ?? 0, { min: 1, max: maxSlots }),
    encoders: checkTexts('offer.encoders', offer?.encoders ?? [], many),
    canvas: checkText('offer.canvas', offer?.canvas ?? '', textLength),
    device: checkText('offer.device', offer?.device ?? '', textLength),
    pool: checkText('offer.pool', offer?.pool ?? '', textLength),
    tags: checkTexts('offer.tags', offer?.tags ?? [], many),
    memoryMb: offer?.memoryMb ?? 0,
    encoderSessions: offer?.encoderSessions ?? 0,
    gpuMemoryMb: offer?.gpuMemoryMb ?? 0,
    lanes: checkInteger('offer.lanes', offer?.lanes ?? 0, { min: 0, max: maxSlots }),
  }
}

function isTaskKind(kind: string): kind is TaskKind {
  return Object.hasOwn(taskKinds, kind)
}
