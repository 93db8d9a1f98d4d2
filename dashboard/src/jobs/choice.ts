import type { Job } from '../../../client/farm-client.ts'

/** Chosen jobs: those in `jobs`, or all that match the filter but those in `jobs`. */
export type Choice = { readonly isAll: boolean; readonly jobs: ReadonlyMap<string, Job> }

export const nothing: Choice = { isAll: false, jobs: new Map() }
export const everything: Choice = { isAll: true, jobs: new Map() }

export const isChosen = ({ isAll, jobs }: Choice, id: string) => isAll !== jobs.has(id)

export function choose(choice: Choice, job: Job, isWanted: boolean): Choice {
  const jobs = new Map(choice.jobs)
  if (isWanted === choice.isAll) jobs.delete(job.id)
  else jobs.set(job.id, job)
  return { ...choice, jobs }
}

export const sizeOf = ({ isAll, jobs }: Choice, total: number) =>
  isAll ? Math.max(0, total - jobs.size) : jobs.size

/** Number of chosen jobs in these states. `counts`: of all that match, by state. */
export function countIn(
  { isAll, jobs }: Choice,
  states: readonly string[],
  counts: Readonly<Record<string, number>>,
): number {
  const named = [...jobs.values()].filter(({ state }) => states.includes(state)).length
  if (!isAll) return named
  return Math.max(0, states.reduce((sum, state) => sum + (counts[state] ?? 0), 0) - named)
}
