import { Type } from 'typebox'
import { jobStates } from '../../core/jobs/jobs.ts'
import type { GatewayContext } from '../context.ts'
import { grantedRequests } from '../gateway/grants.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { checkGrant } from './check-grant.ts'

const Params = Type.Object({
  jobId: Type.String(),
  grant: Type.String({ description: 'Permission from the job’s `playlistUrl`' }),
})

const State = Type.Object({
  name: Type.String(),
  state: Type.Enum([...jobStates]),
  progress: Type.Integer({ minimum: 0, maximum: 100 }),
  problem: Type.Union([Type.String(), Type.Null()], {
    description: 'Sentence about a film that cannot be played and never will be; else null',
  }),
  pieces: Type.Array(
    Type.Object({
      start: Type.Number({ description: 'Seconds from the film’s beginning' }),
      seconds: Type.Number(),
      isThere: Type.Boolean({ description: 'True: it is rendered' }),
    }),
    { description: 'Pieces of the playlist, in order; empty until the film is planned' },
  ),
})

/** GET /play/{jobId}/{grant}/state.json: the pieces of a film that can be played by now. */
export function playStateRoute(server: Server, context: GatewayContext): void {
  const response = { 200: State, 400: Problem, 403: Problem, 404: Problem }
  const schema = { params: Params, tags: ['jobs'], response }
  const isGranted = grantedRequests({ kind: 'play', of: 'jobId' }, context.playLinks)
  const options = { schema, config: { credentials: [], isGranted } }
  server.get('/play/:jobId/:grant/state.json', options, async ({ params }, reply) => {
    checkGrant(context.playLinks, params)
    reply.header('cache-control', 'no-store')
    return await context.playStates.read(params.jobId.toLowerCase())
  })
}
