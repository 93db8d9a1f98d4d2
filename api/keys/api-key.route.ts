import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { renameKey, revokeKey } from '../../store/db/accounts/change-key.ts'
import { getKeyLastHour } from '../../store/db/accounts/get-key-last-hour.ts'
import { getKeyStats } from '../../store/db/accounts/get-key-stats.ts'
import { bodyReader } from '../gateway/body.ts'
import { Problem } from '../gateway/problem.ts'
import { daysQuery, readDays } from '../gateway/timeframe.ts'
import type { Server } from '../gateway/typed-server.ts'
import { IdParams, readUuid } from '../gateway/uuid.ts'
import { KeyName } from './api-keys.route.ts'
import { ApiKey, showKey } from './key-view.ts'

const Renaming = Type.Object({ name: KeyName }, { additionalProperties: false })
const readRenaming = bodyReader(Renaming)

const Days = Type.Object(daysQuery)
const Stats = Type.Object({
  id: Type.String({ format: 'uuid' }),
  requests: Type.Integer(),
  jobs: Type.Integer(),
  credits: Type.Integer({ description: 'Credits charged so far' }),
  lastHour: Type.Object(
    {
      jobs: Type.Integer(),
      names: Type.Array(Type.String(), { description: 'Names of the newest of these jobs, once' }),
    },
    { description: 'Jobs submitted with the key in the last hour' },
  ),
  days: Type.Array(
    Type.Object({
      date: Type.String({ format: 'date', description: 'Day with use, in UTC' }),
      requests: Type.Integer(),
      jobs: Type.Integer(),
      credits: Type.Integer(),
    }),
  ),
})

const config = { credentials: ['key', 'session'], scope: 'keys' } as const
const about = { params: IdParams, tags: ['api keys'] }
const problems = { 400: Problem, 404: Problem }

/** PUT /api/api-keys/{id} {name}, DELETE, and GET /api/api-keys/{id}/stats. */
export function apiKeyRoutes(server: Server): void {
  const changing = {
    schema: { ...about, response: { 200: ApiKey, ...problems } },
    config: { ...config, body: Renaming },
  }
  server.put('/api/api-keys/:id', changing, async ({ db, account, params, body }) => {
    const keyId = readUuid(params.id)
    const { name } = readRenaming(body)
    const key = await renameKey(db, { accountId: account.accountId, keyId, name })
    if (!key) throw notFound(keyId)
    return showKey(key)
  })

  const deleted = Type.Object({ deleted: Type.Literal(true) })
  const revoking = { schema: { ...about, response: { 200: deleted, ...problems } }, config }
  server.delete('/api/api-keys/:id', revoking, async ({ db, account, params }) => {
    const keyId = readUuid(params.id)
    const key = await revokeKey(db, { accountId: account.accountId, keyId })
    if (!key) throw notFound(keyId)
    return { deleted: true as const }
  })

  const schema = { ...about, querystring: Days, response: { 200: Stats, ...problems } }
  server.get('/api/api-keys/:id/stats', { schema, config }, async (request) => {
    const keyId = readUuid(request.params.id)
    const { accountId } = request.account
    const days = await getKeyStats(request.db, { accountId, keyId, days: readDays(request.query) })
    if (!days) throw notFound(keyId)
    const lastHour = await getKeyLastHour(request.db, { accountId, keyId })
    const sum = (of: 'requests' | 'jobs' | 'credits') =>
      days.reduce((total, day) => total + day[of], 0)
    return {
      ...{ id: keyId, requests: sum('requests'), jobs: sum('jobs'), credits: sum('credits') },
      lastHour,
      days: days.map((day) => ({ ...day })),
    }
  })
}

function notFound(id: string): FarmError {
  return new FarmError('not_found', `The account must have an API key with this id. Got ${id}`)
}
