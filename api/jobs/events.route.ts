import { isFinal } from '../../core/jobs/jobs.ts'
import { getJob } from '../../store/db/jobs/get-job.ts'
import type { ApiContext } from '../context.ts'
import { credentialIdOf } from '../gateway/caller.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { endWithKey, eventStream, openStream, refuseStream } from './event-response.ts'
import { eventId } from './job-events.ts'
import { JobParams, jobNotFound, readJobId } from './job-id.ts'

const Events = eventStream(
  'Server-sent events named `job`; the data of each is a Job as GET returns it',
)

const Nothing = { description: 'The job has ended, and Last-Event-ID is its last event' }

/**
 * GET /api/jobs/{id}/events: the job's state now and whenever it changes, until it has ended. A
 * client that reconnects after that gets 204, at which an EventSource gives up.
 */
export function eventsRoute(server: Server, { jobEvents, credentialEnds }: ApiContext): void {
  const schema = {
    params: JobParams,
    tags: ['jobs'],
    response: { 200: Events, 204: Nothing, 400: Problem, 404: Problem, 429: Problem },
  }
  const options = {
    schema,
    exposeHeadRoute: false,
    config: { credentials: ['key', 'session'], scope: 'jobs' },
  } as const
  server.get('/api/jobs/:id/events', options, async (request, reply) => {
    const jobId = readJobId(request.params.id)
    const { accountId, credential } = request.account
    const job = await getJob(request.db, { accountId, jobId })
    if (!job) throw jobNotFound(jobId)
    const seen = request.headers['last-event-id']
    if (isFinal(job.state) && seen === eventId(job)) return await reply.code(204).send()
    const refusal = jobEvents.refusal(accountId)
    if (refusal) refuseStream(reply, refusal)
    const response = openStream(reply)
    endWithKey(response, credential, credentialEnds)
    jobEvents.add({ accountId, jobId, credentialId: credentialIdOf(credential), response })
  })
}
