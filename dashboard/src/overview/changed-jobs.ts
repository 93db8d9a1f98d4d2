type Known = { readonly id: string }

/** Puts what an event tells of a job into its row; jobs that are not in the list change nothing. */
export function changedJobs<J extends Known>(jobs: readonly J[], change: Known): J[] {
  return jobs.map((job) => (job.id === change.id ? { ...job, ...change } : job))
}
