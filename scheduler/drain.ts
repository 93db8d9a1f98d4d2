import type { DrainRequest, DrainResponse } from '../proto/gen/farm/v1/node.ts'
import { drainNode } from '../store/db/statements/drain-node.ts'
import { handBackTasks } from '../store/db/statements/hand-back-tasks.ts'
import { checkAttempt, checkCount, checkUuid, notRegistered } from './checks.ts'
import type { SchedulerContext } from './context.ts'

const maxTasks = 256

/** No more leases for the node; what it hands back is leased again at once. */
export async function drain(
  { db, log }: SchedulerContext,
  request: DrainRequest,
): Promise<DrainResponse> {
  const nodeId = checkUuid('node_id', request.nodeId)
  checkCount('handed_back', request.handedBack, maxTasks)
  const attempts = request.handedBack.map((task) => checkAttempt({ ...task, nodeId }))
  if (!(await drainNode(db, nodeId))) throw notRegistered()
  if (attempts.length > 0) await handBackTasks(db, { nodeId, attempts })
  log.info({ node: nodeId, handedBack: attempts.length }, 'node drains')
  return {}
}
