import { endAttemptOperation, retryTaskOperation } from '../../operator/tasks.ts'
import { answerOne, operateFarm } from '../accounts/operate.ts'
import type { ActOptions } from './act.ts'
import { rowOfJob } from './jobs.ts'

type OfTask = ActOptions & { readonly task: string }

/** Lets a queued task begin at once; shows its job. */
export async function retryTask({ task, why, ...options }: OfTask): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOfJob(await farm.run(retryTaskOperation, { task, why }))),
  )
}

/** Ends a running attempt; shows its job. */
export async function endAttempt({
  task,
  attempt,
  why,
  ...options
}: OfTask & { readonly attempt: number }): Promise<void> {
  await operateFarm(options, async (farm) =>
    answerOne(rowOfJob(await farm.run(endAttemptOperation, { task, attempt, why }))),
  )
}
