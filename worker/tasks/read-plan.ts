import { engineVersion } from '../../core/engine.ts'
import { FarmError } from '../../core/errors.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { TaskContext } from '../context.ts'

/** The task is not for this node; nothing of it was done, and another node may do it. */
export class Refusal extends FarmError {}

/** Returns the plan of a task. @throws Refusal when another version of the farm made it */
export async function readPlan(task: TaskContext): Promise<Plan> {
  const object = { 'farm.object': 'plan' }
  const plan: Plan = JSON.parse(
    String(await task.span.part('download', () => task.read('plan'), object)),
  )
  checkEngine(plan)
  return plan
}

/**
 * Checks the engine. @throws Refusal when another version of the farm made the plan, or its draft
 */
export function checkEngine({ engine }: Pick<Plan, 'engine'>): void {
  if (engine === engineVersion) return
  const seen = `The plan has ${engine}, the node ${engineVersion}`
  throw new Refusal('unavailable', `A plan needs a node of its own engine version. ${seen}.`)
}

/**
 * Checks the canvas. @throws Refusal when the plan needs another canvas than this node's: its
 * pixels would differ
 */
export function checkCanvas({ canvas }: Plan, { node }: TaskContext): void {
  const { name, device } = node.canvas
  if (canvas.backend === name && canvas.device === device) return
  const seen = `The plan has ${canvas.backend} on ${canvas.device}, the node ${name} on ${device}`
  throw new Refusal('unavailable', `A plan needs a node with its own canvas. ${seen}.`)
}
