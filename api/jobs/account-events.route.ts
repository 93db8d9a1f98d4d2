import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { isWithinYears } from '../../runtime/times.ts'
import type { ApiContext } from '../context.ts'
import { type Credential, credentialIdOf } from '../gateway/caller.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { clockSkewMs } from './account-feed.ts'
import {
  endWithKey,
  eventStream,
  eventText,
  openStream,
  refuseStream,
  writeTo,
} from './event-response.ts'

const Events = eventStream(
  'Server-sent events: `hello` first, then `job` (a JobEvent), `bulk` (a Bulk without its errors) and `credits` (a balance)',
)

const eventIdShape = /^\d{1,15}$/

const Query = Type.Object({
  since: Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        'Time (RFC 3339) or id of an event: open jobs, and jobs that ended since, are told first, at most 500. The header Last-Event-ID takes precedence',
    }),
  ),
})

/**
 * GET /api/events: one stream of all that happens to the account's jobs, bulks and credits, for pages
 * that show many of them.
 */
export function accountEventsRoute(
  server: Server,
  { accountEvents, credentialEnds }: ApiContext,
): void {
  const schema = {
    querystring: Query,
    tags: ['jobs'],
    response: { 200: Events, 400: Problem, 429: Problem },
  }
  const options = {
    schema,
    exposeHeadRoute: false,
    config: { credentials: ['key', 'session'], scope: 'jobs' },
  } as const
  server.get('/api/events', options, async (request, reply) => {
    const { accountId, credential } = request.account
    const lastEventId = request.headers['last-event-id']
    const since = readSince([lastEventId ?? request.query.since ?? []].flat()[0])
    const refusal = accountEvents.refusal(accountId)
    if (refusal) refuseStream(reply, refusal)
    const response = openStream(reply)
    endWithKey(response, credential, credentialEnds)
    const now = new Date()
    const data = JSON.stringify({ now: now.toISOString(), since: since?.toISOString() ?? null })
    writeTo({ response }, eventText('hello', { id: String(now.getTime()), data }))
    accountEvents.add({
      ...{ accountId, response, seesCredits: seesCredits(credential) },
      credentialId: credentialIdOf(credential),
      missedFrom: since && new Date(since.getTime() - clockSkewMs),
    })
  })
}

/** Reads an event's id, which is a time in milliseconds, or a time. @throws FarmError */
function readSince(text: string | undefined): Date | undefined {
  if (text === undefined || text === '') return undefined
  const time = new Date(eventIdShape.test(text) ? Number(text) : text)
  if (isWithinYears(time)) return time
  const rule = 'since must be a time like 2030-01-31T00:00:00Z, or the id of an event'
  throw new FarmError('invalid_value', `${rule}. Got ${text.slice(0, 40)}`, { field: 'since' })
}

function seesCredits(credential: Credential): boolean {
  if (credential.kind !== 'key') return true
  return credential.scopes === null || credential.scopes.includes('account')
}
