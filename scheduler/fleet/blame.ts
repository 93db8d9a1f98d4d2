import { isSuspect } from '../../core/fleet/node-states.ts'
import { readNodeRecord } from '../../store/db/fleet/read-node-record.ts'
import type { SchedulerContext } from '../context.ts'
import { decideNode } from './node-acts.ts'

/** Quarantines nodes that often fail tasks which succeed elsewhere, after such a success. */
export async function blameNodes(
  { db, log, metrics }: SchedulerContext,
  failedNodes: readonly string[],
): Promise<void> {
  for (const nodeId of new Set(failedNodes)) {
    const record = await readNodeRecord(db, nodeId)
    if (!isSuspect(record)) continue
    const reason = `${record.blamed} tasks that it failed succeeded elsewhere`
    if (await decideNode(db, { nodeId, act: 'quarantine', reason })) {
      metrics.quarantined()
      log.error({ node: nodeId, ...record }, 'a node is quarantined')
    }
  }
}
