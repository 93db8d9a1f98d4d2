import type { DrainRequest, DrainResponse } from '../../proto/gen/farm/v1/node.ts'
import { moveNode } from '../../store/db/fleet/move-node.ts'
import { handBackTasks } from '../../store/db/queue/hand-back-tasks.ts'
import type { SchedulerContext } from '../context.ts'
import { checkAttempt, checkCount, checkUuid, notRegistered } from './checks.ts'

const maxTasks = 256

/** Stops leasing to the node; tasks that it hands back are leased again at once. */
export async function drain(
  { db, batches, log }: SchedulerContext,
  request: DrainRequest,
): Promise<DrainResponse> {
  const nodeId = checkUuid('node_id', request.nodeId)
  checkCount('handed_back', request.handedBack, maxTasks)
  const attempts = request.handedBack.map((task) => checkAttempt({ ...task, nodeId }))
  if (!(await batches.signs.submit({ nodeId }))) throw notRegistered()
  await moveNode(db, { nodeId, act: 'leave', reason: 'its process is being stopped' })
  if (attempts.length > 0) await handBackTasks(db, { nodeId, attempts })
  log.info({ node: nodeId, handedBack: attempts.length }, 'node drains')
  return {}
}
