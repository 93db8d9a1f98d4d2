import type { RenewRequest, RenewResponse } from '../../proto/gen/farm/v1/node.ts'
import type { SchedulerContext } from '../context.ts'
import { checkAttempt, checkCount, checkText, checkUuid, notRegistered } from './checks.ts'
import { usageOf } from './usage.ts'

const maxTasks = 256
const pauseLength = 200
/** Segments of a shard, and its sound. */
const maxWritten = 10_000
const nameLength = 40
/** Largest value of the columns' type; no film is that long. */
const maxCount = 2_147_483_647

/** Renews the node's leases and answers those it must stop. */
export async function renew(
  { batches }: SchedulerContext,
  request: RenewRequest,
): Promise<RenewResponse> {
  const nodeId = checkUuid('node_id', request.nodeId)
  checkCount('tasks', request.tasks, maxTasks)
  const held = request.tasks.map((task) => ({
    ...checkAttempt({ ...task, nodeId }),
    framesDone: Math.min(task.framesDone, maxCount),
    previews: Math.min(task.previews, maxCount),
    written: task.written
      .slice(0, maxWritten)
      .map((name) => checkText('written', name, nameLength)),
  }))
  const pause = checkText('pause', request.pause, pauseLength)
  const node = await batches.signs.submit({ nodeId, pause, ...usageOf(request) })
  if (node === undefined) throw notRegistered()
  // A canary has its own deadline, which no renewal extends.
  const tasks = held.filter(({ taskId }) => taskId !== node.canaryId)
  if (tasks.length === 0) return { stop: [], wanted: [] }
  const news = await batches.renewals.submit({ nodeId, held: tasks })
  return {
    stop: news.flatMap((each) => ('reason' in each ? [each] : [])),
    wanted: news.flatMap((each) =>
      'wanted' in each ? [{ ...each, segments: [...each.wanted] }] : [],
    ),
  }
}
