import { patched, sleep } from '@temporalio/workflow'
import * as workflows from '../../workflows/definitions/sandboxed.ts'

/** Tests replace it in the bundle by how the change is made: `unguarded` or `patched`. */
const how: string = 'HOW IT IS CHANGED'

/** Begins with a timer that no recorded history has. */
function changed<Input>(workflow: (input: Input) => Promise<void>) {
  return async (input: Input) => {
    if (how === 'unguarded' || patched('wait-first')) await sleep(1)
    await workflow(input)
  }
}

export const bulkRender = changed(workflows.bulkRender)
export const renderGroup = changed(workflows.renderGroup)
export const renderJob = changed(workflows.renderJob)
export const webhookDelivery = changed(workflows.webhookDelivery)
