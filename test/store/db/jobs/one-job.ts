import type { JobState } from '../../../../core/jobs/jobs.ts'
import { type NewArtifact, putArtifacts } from '../../../../store/db/artifacts/put-artifacts.ts'
import type { Db } from '../../../../store/db/database.ts'
import { enterStages, type StageEntry } from '../../../../store/db/jobs/enter-stages.ts'
import { cancelTasksOfJobs } from '../../../../store/db/queue/cancel-tasks-of-jobs.ts'
import { type JobTask, listTasksOfJobs } from '../../../../store/db/queue/list-tasks-of-jobs.ts'

/** Wraps the statements for many jobs, for tests of one job. */
type OfAccount = { readonly accountId: string }
type OfJob = OfAccount & { readonly jobId: string }

export async function enterStage(
  db: Db,
  { accountId, ...entry }: OfAccount & StageEntry,
): Promise<JobState | undefined> {
  const [state] = await enterStages(db, { accountId, entries: [entry] })
  return state
}

export async function putArtifact(
  db: Db,
  { accountId, ...artifact }: OfAccount & NewArtifact,
): Promise<void> {
  await putArtifacts(db, { accountId, artifacts: [artifact] })
}

export async function listTasksOfJob(
  db: Db,
  { accountId, jobId }: OfJob,
): Promise<readonly JobTask[]> {
  const [tasks = []] = await listTasksOfJobs(db, { accountId, jobIds: [jobId] })
  return tasks
}

export async function cancelTasksOfJob(db: Db, { accountId, jobId }: OfJob): Promise<void> {
  await cancelTasksOfJobs(db, { accountId, jobIds: [jobId] })
}
