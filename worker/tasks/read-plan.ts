import { engineVersion } from '../../core/engine.ts'
import { FarmError } from '../../core/errors.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { TaskContext } from '../context.ts'

/** Returns the plan of a task. @throws FarmError when another version of the farm made it */
export async function readPlan(task: TaskContext): Promise<Plan> {
  const object = { 'farm.object': 'plan' }
  const plan: Plan = JSON.parse(
    String(await task.span.part('download', () => task.read('plan'), object)),
  )
  checkEngine(plan)
  return plan
}

/**
 * Checks the engine. @throws FarmError when another version of the farm made the plan, or its draft
 */
export function checkEngine({ engine }: Pick<Plan, 'engine'>): void {
  if (engine === engineVersion) return
  const seen = `The plan has ${engine}, the node ${engineVersion}`
  throw new FarmError('unavailable', `A plan needs a node of its own engine version. ${seen}.`)
}

/**
 * Checks the canvas. @throws FarmError when the plan needs another canvas than this node's: its
 * pixels would differ
 */
export function checkCanvas({ canvas }: Plan, { node }: TaskContext): void {
  const { name, device } = node.canvas
  if (canvas.backend === name && canvas.device === device) return
  const seen = `The plan has ${canvas.backend} on ${canvas.device}, the node ${name} on ${device}`
  throw new FarmError('unavailable', `A plan needs a node with its own canvas. ${seen}.`)
}
