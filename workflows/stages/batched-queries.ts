import { nodeLiveMs } from '../../core/fleet/node-states.ts'
import type { JobState } from '../../core/jobs/jobs.ts'
import { type Batcher, KeyedBatcher } from '../../runtime/batcher.ts'
import { endClaimsOfJobs } from '../../store/db/artifacts/end-claims-of-jobs.ts'
import {
  type FetchedMedium,
  findFetchedMedia,
  type MediaSearch,
} from '../../store/db/artifacts/find-fetched-media.ts'
import { type FetchingSearch, findFetching } from '../../store/db/artifacts/find-fetching.ts'
import { type Artifact, getArtifacts } from '../../store/db/artifacts/get-artifacts.ts'
import { type NewArtifact, putArtifacts } from '../../store/db/artifacts/put-artifacts.ts'
import { batchStatements } from '../../store/db/batch-statements.ts'
import type { Db } from '../../store/db/database.ts'
import { type KnownOffer, listOffers } from '../../store/db/fleet/list-offers.ts'
import { enterStages, type StageEntry } from '../../store/db/jobs/enter-stages.ts'
import { getSubmissions, type Submission } from '../../store/db/jobs/get-submissions.ts'
import { type SettledJob, type Settling, settleJobs } from '../../store/db/jobs/settle-jobs.ts'
import {
  type EnqueuedTask,
  enqueueTasks,
  type NewTask,
} from '../../store/db/queue/enqueue-tasks.ts'
import { type JobTask, listTasksOfJobs } from '../../store/db/queue/list-tasks-of-jobs.ts'
import type { ArtifactKind } from '../../store/db/schema.ts'

type OfAccount = { readonly accountId: string }
type OfJob = OfAccount & { readonly jobId: string }

/**
 * Batches the concurrent queries of an account's jobs into one statement each, across workflows. No
 * account waits for another's.
 */
export type BatchedQueries = {
  readonly listTasks: (job: OfJob) => Promise<readonly JobTask[]>
  readonly getSubmission: (job: OfJob) => Promise<Submission | undefined>
  readonly findFetchedMedia: (search: OfAccount & MediaSearch) => Promise<readonly FetchedMedium[]>
  /** Finds another job of the group that fetches the same. */
  readonly findFetching: (search: OfAccount & FetchingSearch) => Promise<string | undefined>
  /** Returns artifacts by digest. */
  readonly getArtifacts: (
    wanted: OfAccount & { readonly kind: ArtifactKind; readonly digests: readonly string[] },
  ) => Promise<ReadonlyMap<string, Artifact>>
  readonly putArtifact: (artifact: OfAccount & NewArtifact) => Promise<void>
  readonly enterStage: (entry: OfAccount & StageEntry) => Promise<JobState | undefined>
  readonly enqueueTask: (task: OfAccount & NewTask) => Promise<EnqueuedTask>
  readonly settleJob: (settling: OfAccount & Settling) => Promise<SettledJob | undefined>
  readonly endClaims: (job: OfJob) => Promise<void>
  readonly listOffers: () => Promise<readonly KnownOffer[]>
}

/** Most queries, or the artifacts that they ask for, in one statement. */
const most = 64

export function createBatchedQueries(db: Db): BatchedQueries {
  const tasks = byAccount<string, readonly JobTask[]>((accountId) =>
    batchStatements((jobIds) => listTasksOfJobs(db, { accountId, jobIds }), { most }),
  )
  const submissions = byAccount<string, Submission | undefined>((accountId) =>
    batchStatements((jobIds) => getSubmissions(db, { accountId, jobIds }), { most }),
  )
  const fetched = byAccount<MediaSearch, readonly FetchedMedium[]>((accountId) =>
    batchStatements((searches) => findFetchedMedia(db, { accountId, searches }), { most }),
  )
  const fetching = byAccount<FetchingSearch, string | undefined>((accountId) =>
    batchStatements((searches) => findFetching(db, { accountId, searches }), { most }),
  )
  const known = new KeyedBatcher<Wanted, ReadonlyMap<string, Artifact>>(() =>
    batchStatements((wanted) => getArtifactsOfAll(db, wanted), { most }),
  )
  const recorded = byAccount<NewArtifact, undefined>((accountId) =>
    batchStatements(
      async (artifacts) => {
        await putArtifacts(db, { accountId, artifacts })
        return artifacts.map(() => undefined)
      },
      { most, keyOf: ({ kind, digest }) => `${kind} ${digest}` },
    ),
  )
  const entries = byAccount<StageEntry, JobState | undefined>((accountId) =>
    batchStatements((entries) => enterStages(db, { accountId, entries }), {
      ...{ most, keyOf: ({ jobId }) => jobId },
    }),
  )
  const queued = byAccount<NewTask, EnqueuedTask>((accountId) =>
    batchStatements((tasks) => enqueueTasks(db, { accountId, tasks }), {
      ...{ most, keyOf: ({ jobId, name }) => `${jobId} ${name}` },
    }),
  )
  const settled = byAccount<Settling, SettledJob | undefined>((accountId) =>
    batchStatements((settlings) => settleJobs(db, { accountId, settlings }), {
      ...{ most, keyOf: ({ jobId }) => jobId },
    }),
  )
  const claims = byAccount<string, undefined>((accountId) =>
    batchStatements(
      async (jobIds) => {
        await endClaimsOfJobs(db, { accountId, jobIds })
        return jobIds.map(() => undefined)
      },
      { most },
    ),
  )
  const offers = batchStatements<undefined, readonly KnownOffer[]>(
    async (asked) => {
      const known = await listOffers(db, { seenWithinMs: nodeLiveMs })
      return asked.map(() => known)
    },
    { most: Number.POSITIVE_INFINITY },
  )
  return {
    listTasks: ({ accountId, jobId }) => tasks.submit(accountId, jobId),
    getSubmission: ({ accountId, jobId }) => submissions.submit(accountId, jobId),
    findFetchedMedia: ({ accountId, ...search }) => fetched.submit(accountId, search),
    findFetching: ({ accountId, ...search }) => fetching.submit(accountId, search),
    getArtifacts: async (wanted) =>
      wanted.digests.length === 0
        ? new Map()
        : await known.submit(`${wanted.accountId} ${wanted.kind}`, wanted),
    putArtifact: ({ accountId, ...artifact }) => recorded.submit(accountId, artifact),
    enterStage: ({ accountId, ...entry }) => entries.submit(accountId, entry),
    enqueueTask: ({ accountId, ...task }) => queued.submit(accountId, task),
    settleJob: ({ accountId, ...settling }) => settled.submit(accountId, settling),
    endClaims: ({ accountId, jobId }) => claims.submit(accountId, jobId),
    listOffers: () => offers.submit(undefined),
  }
}

function byAccount<Item, Result>(open: (accountId: string) => Batcher<Item, Result>) {
  return new KeyedBatcher<Item, Result>(open)
}

type Wanted = Parameters<BatchedQueries['getArtifacts']>[0]

/** All share one account and kind. */
async function getArtifactsOfAll(
  db: Db,
  wanted: readonly Wanted[],
): Promise<readonly ReadonlyMap<string, Artifact>[]> {
  const [first] = wanted
  if (first === undefined) return []
  const all = [...new Set(wanted.flatMap(({ digests }) => digests))]
  const { accountId, kind } = first
  const found = await getArtifacts(db, { accountId, kind, digests: all })
  return wanted.map(({ digests }) => {
    const theirs = digests.flatMap((digest) => found.get(digest) ?? [])
    return new Map(theirs.map((artifact) => [artifact.digest, artifact]))
  })
}
