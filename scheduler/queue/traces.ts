import { stageOfKind } from '../../core/queue/tasks.ts'
import type { Task } from '../../proto/gen/farm/v1/node.ts'
import { waitPlace } from '../../runtime/tracing/places.ts'
import { listWaits } from '../../store/db/queue/list-waits.ts'
import type { SchedulerContext } from '../context.ts'

/**
 * Traces the queue time of tasks that have just been leased. No lease waits for it, and it queries
 * only traces that are kept.
 */
export async function traceWaits(
  { db, log, tracing }: SchedulerContext,
  { nodeId, tasks }: { nodeId: string; tasks: readonly Task[] },
): Promise<void> {
  const sampled = tasks.filter(({ jobId }) => tracing.keeps(jobId))
  if (sampled.length === 0) return
  try {
    const attempts = sampled.map(({ id, attempt }) => ({ taskId: id, attempt }))
    for (const wait of await listWaits(db, attempts)) {
      const { taskId, attempt, jobId, name, kind, since, leasedAt } = wait
      const stage = stageOfKind[kind]
      tracing.record({
        name: `wait ${kind}`,
        place: waitPlace({ jobId, stage, taskId, attempt }),
        start: since,
        end: leasedAt,
        attributes: {
          'farm.job.id': jobId,
          'farm.task.id': taskId,
          'farm.task.name': name,
          'farm.task.attempt': attempt,
          'farm.node.id': nodeId,
        },
      })
    }
  } catch (error) {
    log.warn({ err: error }, 'the spans of waiting tasks could not be read')
  }
}
