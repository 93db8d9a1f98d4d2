import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { priorities } from '../core/queue/shares.ts'
import { cancelJob } from '../store/db/jobs/cancel-job.ts'
import { getJob } from '../store/db/jobs/get-job.ts'
import { getSubmission } from '../store/db/jobs/get-submissions.ts'
import { retryJob } from '../store/db/jobs/retry-job.ts'
import { setPriority } from '../store/db/queue/set-priority.ts'
import { signOutputs } from '../store/objects/output-links.ts'
import { act } from './act.ts'
import { requireJob } from './find.ts'
import { change } from './operation.ts'
import { JobSchema, Nullable, Uuid } from './schemas.ts'

const params = Type.Object({ job: Uuid })
const base = { role: 'operator', params } as const

export const cancelJobOperation = change({
  ...{ ...base, id: 'operatorCancelJob', path: '/jobs/:job/cancel', answer: JobSchema },
  summary: 'Cancel a job; its account pays for the frames painted so far',
  async run({ db }, { job: jobId, why }, actor) {
    const { accountId, state } = await requireJob(db, jobId)
    await act(db, { what: 'jobs cancel', subject: jobId, why, actor }, async (tx) => {
      const cancelled = await cancelJob(tx, { accountId, jobId, reason: `by the farm: ${why}` })
      if (cancelled?.settled) return
      throw new FarmError('conflict', `A job to cancel must not have ended. Got ${state}`)
    })
    return await requireJob(db, jobId)
  },
})

export const retryJobOperation = change({
  ...{ ...base, id: 'operatorRetryJob', path: '/jobs/:job/retry', answer: JobSchema },
  summary: 'Submit the request of a failed or cancelled job again, as a new job',
  async run({ db }, { job: jobId, why }, actor) {
    const { state } = await requireJob(db, jobId)
    const done = { what: 'jobs retry', subject: jobId, why, actor }
    const retried = await act(db, done, async (tx) => {
      const again = await retryJob(tx, jobId)
      if (again.outcome !== 'again') {
        const rule = 'A job to retry must be failed or cancelled'
        throw new FarmError('conflict', `${rule}. Got ${state}`)
      }
      if (again.inserted.outcome === 'inserted') return again
      throw new FarmError('conflict', 'The account has too few credits to run the job again')
    })
    return await requireJob(db, retried.id)
  },
})

export const prioritiseJobOperation = change({
  ...{ ...base, id: 'operatorPrioritiseJob', path: '/jobs/:job/priority', answer: JobSchema },
  summary: 'Change the weight of a job within the share of its account',
  body: Type.Object({ priority: Type.Enum([...priorities]) }),
  async run({ db }, { job: jobId, priority, why }, actor) {
    const { state } = await requireJob(db, jobId)
    const what = `jobs priority ${priority}`
    await act(db, { what, subject: jobId, why, actor }, async (tx) => {
      if (await setPriority(tx, { jobId, priority })) return
      throw new FarmError('conflict', `A job to prioritise must not have ended. Got ${state}`)
    })
    return await requireJob(db, jobId)
  },
})

export const readRequestOperation = change({
  ...{ ...base, id: 'operatorReadRequest', path: '/jobs/:job/read-request' },
  summary: 'Read the request of a customer’s job; the reading is on record',
  answer: Type.Object({ request: Type.Unknown() }),
  async run({ db }, { job: jobId, why }, actor) {
    const { accountId } = await requireJob(db, jobId)
    const done = { what: 'jobs read-request', subject: jobId, why, actor }
    const submission = await act(db, done, (tx) => getSubmission(tx, { accountId, jobId }))
    return { request: submission?.request ?? null }
  },
})

export const readOutputOperation = change({
  ...{ ...base, id: 'operatorReadOutput', path: '/jobs/:job/read-output' },
  summary: 'Get addresses of a customer’s film and thumbnail; the reading is on record',
  answer: Type.Object({
    url: Nullable(Type.String({ format: 'uri' })),
    thumbnailUrl: Nullable(Type.String({ format: 'uri' })),
    seconds: Type.Integer({ description: 'Validity of the addresses' }),
  }),
  async run({ db, objects }, { job: jobId, why }, actor) {
    const { accountId } = await requireJob(db, jobId)
    const done = { what: 'jobs read-output', subject: jobId, why, actor }
    const job = await act(db, done, (tx) => getJob(tx, { accountId, jobId }))
    const isThere = job?.filesRemovedAt === null
    const { url, thumbnailUrl, seconds } = await signOutputs(objects(), {
      outputKey: isThere ? job.outputKey : null,
      thumbnailKey: isThere ? job.thumbnailKey : null,
      name: job?.name ?? '',
      format: job?.result?.format,
      filesExpireAt: job?.filesExpireAt ?? null,
    })
    return { url, thumbnailUrl, seconds }
  },
})
