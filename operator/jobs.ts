import { type Static, Type } from 'typebox'
import { errorCodes } from '../core/errors.ts'
import { explainTimes } from '../core/jobs/explained-times.ts'
import { jobStates } from '../core/jobs/jobs.ts'
import { ExplainedTimes } from '../core/jobs/spent-times.ts'
import { waitingReasons } from '../core/queue/waiting.ts'
import { readTime } from '../runtime/times.ts'
import { traceIdOf } from '../runtime/tracing/places.ts'
import type { Db } from '../store/db/database.ts'
import { getJob } from '../store/db/jobs/get-job.ts'
import { type FarmJob, type JobFilter, listFarmJobs } from '../store/db/jobs/list-farm-jobs.ts'
import { clockOf, readSpentTasks } from '../store/db/jobs/read-spent-tasks.ts'
import { readWaiting } from '../store/db/queue/read-waiting.ts'
import { attemptsOf } from './attempts.ts'
import { requireAccount, requireJob, requireNode } from './find.ts'
import { read } from './operation.ts'
import {
  AttemptSchema,
  ErrorView,
  IdOrName,
  JobSchema,
  limitOf,
  Name,
  Nullable,
  Time,
  Uuid,
} from './schemas.ts'

const attemptsShown = 200
const usual = 20

const Filter = Type.Object({
  state: Type.Optional(Type.Enum([...jobStates])),
  account: Type.Optional(IdOrName),
  name: Type.Optional({ ...Name, description: 'A part of the name' }),
  node: Type.Optional(IdOrName),
  code: Type.Optional(Type.Enum(Object.keys(errorCodes), { description: 'Error of a failed job' })),
  from: Type.Optional(Time),
  to: Type.Optional(Time),
  limit: limitOf(10_000, usual),
  after: Type.Optional(Uuid),
})

export const listJobsOperation = read({
  ...{ id: 'operatorListJobs', path: '/jobs', role: 'viewer' },
  summary: 'List the jobs of all accounts, the latest first',
  query: Filter,
  answer: Type.Object({
    jobs: Type.Array(JobSchema),
    next: Nullable(Type.String({ description: 'Value of `after` for the next page' })),
  }),
  async run({ db }, { limit = usual, after, ...asked }) {
    const filter = await filterOf(db, asked)
    if (after !== undefined) await requireJob(db, after)
    const jobs = await listFarmJobs(db, { ...filter, limit, ...(after !== undefined && { after }) })
    return { jobs, next: jobs.length === limit ? (jobs.at(-1)?.id ?? null) : null }
  },
})

async function filterOf(
  db: Db,
  { account, node, from, to, ...rest }: Omit<Static<typeof Filter>, 'limit' | 'after'>,
): Promise<JobFilter> {
  const [createdFrom, createdTo] = [readTime('from', from), readTime('to', to)]
  return {
    ...rest,
    ...(account !== undefined && { accountId: (await requireAccount(db, account)).id }),
    ...(node !== undefined && { nodeId: (await requireNode(db, node)).id }),
    ...(createdFrom !== undefined && { createdFrom }),
    ...(createdTo !== undefined && { createdTo }),
  }
}

const params = Type.Object({ job: Uuid })

export const getJobOperation = read({
  ...{ id: 'operatorGetJob', path: '/jobs/:job', role: 'viewer' },
  summary: 'Show a job with every attempt at its tasks, and the errors and log ends of failed ones',
  params,
  answer: Type.Interface([JobSchema], {
    trace: Type.String({ description: 'Id of its trace' }),
    attempts: Type.Array(AttemptSchema),
  }),
  async run({ db }, { job: id }) {
    const job = await requireJob(db, id)
    const attempts = await attemptsOf(db, { of: 'job', id: job.id, limit: attemptsShown })
    return { ...job, trace: traceIdOf(job.id), attempts }
  },
})

export const explainJobOperation = read({
  ...{ id: 'operatorExplainJob', path: '/jobs/:job/waiting', role: 'viewer' },
  summary:
    'Explain why a job waits and when it should start, or how it ended and where its time went',
  params,
  answer: Type.Interface([JobSchema], {
    waiting: Nullable(
      Type.Object({
        reason: Type.Enum([...waitingReasons]),
        message: Type.String(),
        ahead: Type.Integer(),
        share: Nullable(Type.Number()),
        missing: Type.Array(Type.String()),
        jobs: Type.Array(Type.String()),
        startsIn: Nullable(Type.Number()),
      }),
    ),
    error: Nullable(ErrorView),
    times: Nullable(
      Type.Object(ExplainedTimes.properties, {
        description: 'Where its time went; null until it has ended',
      }),
    ),
  }),
  async run({ db }, { job: id }): Promise<FarmJob & { waiting: Waits; times: Times }> {
    const job = await requireJob(db, id)
    const [waiting, times] = await Promise.all([readWaiting(db, job.id), timesOf(db, job)])
    return { ...job, waiting, times }
  },
})

type Times = Static<typeof ExplainedTimes> | null

/** Null until the job has ended. */
async function timesOf(db: Db, { id: jobId, accountId, finishedAt }: FarmJob): Promise<Times> {
  const job = finishedAt === null ? undefined : await getJob(db, { accountId, jobId })
  if (!job) return null
  const tasks = await readSpentTasks(db, { accountId, jobId })
  return explainTimes({ clock: clockOf(job), tasks })
}

type Waits = Awaited<ReturnType<typeof readWaiting>>
