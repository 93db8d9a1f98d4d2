import type { LogLines, RenewRequest, RenewResponse } from '../../proto/gen/farm/v1/node.ts'
import type { SchedulerContext } from '../context.ts'
import {
  checkAttempt,
  checkCount,
  checkInteger,
  checkText,
  checkTexts,
  checkUuid,
  notRegistered,
} from './checks.ts'
import { usageOf } from './usage.ts'

const maxTasks = 256
const pauseLength = 200
/** Segments of a shard, and its sound. */
const maxWritten = 10_000
const nameLength = 40
/** Lines of one attempt's log, and characters of each. */
const maxLines = 2_000
const lineLength = 4_000
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
    log: task.log && checkLines(task.log),
  }))
  const pause = checkText('pause', request.pause, pauseLength)
  const node = await batches.signs.submit({ nodeId, pause, ...usageOf(request) })
  if (node === undefined) throw notRegistered()
  // A canary has its own deadline, which no renewal extends.
  const tasks = held.filter(({ taskId }) => taskId !== node.canaryId)
  if (tasks.length === 0) return { stop: [], wanted: [], followed: [] }
  const news = await batches.renewals.submit({ nodeId, held: tasks })
  return {
    stop: news.flatMap((each) => ('reason' in each ? [each] : [])),
    wanted: news.flatMap((each) =>
      'wanted' in each ? [{ ...each, segments: [...each.wanted] }] : [],
    ),
    followed: news.flatMap((each) => ('lines' in each ? [each] : [])),
  }
}

/** Undefined: there are no lines. */
function checkLines({ from, lines }: LogLines): LogLines | undefined {
  if (lines.length === 0) return undefined
  checkTexts('log', lines, { maxItems: maxLines, maxLength: lineLength })
  return { from: checkInteger('log.from', from, { min: 0, max: maxCount - maxLines }), lines }
}
