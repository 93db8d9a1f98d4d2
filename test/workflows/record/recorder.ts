import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client'
import { fetchHistory, type History, textOf, writeHistory } from '../histories.ts'

const patienceMs = 180_000
const pollMs = 50

export type Recorder = ReturnType<typeof createRecorder>

/** Records histories under `version`. */
export function createRecorder(version: string) {
  let bytes = 0
  const missing: string[] = []
  return {
    /** Records a run, the latest one without `runId`, whose history must contain each text of `holds`. */
    async record(
      client: Client,
      kind: string,
      {
        workflowId,
        runId,
        holds,
      }: { workflowId: string; runId?: string; holds: readonly string[] },
    ): Promise<void> {
      const workflow = client.workflow.getHandle(workflowId, runId)
      await untilEnded(workflow)
      const history = await fetchHistory(workflow)
      const text = textOf(history)
      for (const each of holds) if (!text.includes(each)) missing.push(`${kind} has no ${each}`)
      const size = await writeHistory(`${version}/${kind}`, history)
      bytes += size
      console.log(`${kind}: ${history.events.length} events, ${size} bytes, ${stepsOf(history)}`)
    },
    /** @throws Error when a history is not what its kind says */
    end() {
      console.log(`${bytes} bytes in all`)
      if (missing.length > 0) throw new Error(missing.join('\n'))
    },
  }
}

/** Waits for a workflow, which may start after its job is visible, and end after its job. */
export async function untilEnded(workflow: WorkflowHandle): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!(await hasEnded(workflow))) {
    if (Date.now() > deadline) throw new Error(`${workflow.workflowId} does not end`)
    await sleep(pollMs)
  }
}

async function hasEnded(workflow: WorkflowHandle): Promise<boolean> {
  try {
    return (await workflow.describe()).status.name !== 'RUNNING'
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

/** Types of the activities in the history. */
function stepsOf(history: History): string {
  const types = textOf(history).matchAll(/activity_type\W+(\w+)|activityType":\{"name":"(\w+)/g)
  return [...new Set([...types].map(([, local, remote]) => local ?? remote))].join(' ')
}
