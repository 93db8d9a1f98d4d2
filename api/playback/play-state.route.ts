import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Type } from 'typebox'
import { jobStates } from '../../core/jobs/jobs.ts'
import type { GatewayContext } from '../context.ts'
import { acceptsGzip } from '../gateway/accepts-gzip.ts'
import { grantedRequests } from '../gateway/grants.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { checkGrant } from './check-grant.ts'
import type { PlayState } from './play-states.ts'

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

/** The state, or its JSON zipped. */
const Answer = Type.Unsafe<PlayState | Buffer>(State)

/** GET /play/{jobId}/{grant}/state.json: the pieces of a film that can be played by now. */
export function playStateRoute(server: Server, context: GatewayContext): void {
  const response = { 200: Answer, 400: Problem, 403: Problem, 404: Problem }
  const schema = { params: Params, tags: ['jobs'], response }
  const isGranted = grantedRequests({ kind: 'play', of: 'jobId' }, context.playLinks)
  const options = { schema, config: { credentials: [], isGranted } }
  server.get('/play/:jobId/:grant/state.json', options, async (request, reply) => {
    const { params } = request
    checkGrant(context.playLinks, params)
    const state = await context.playStates.read(params.jobId.toLowerCase())
    reply.header('cache-control', 'no-store').header('vary', 'accept-encoding')
    if (!acceptsGzip(request)) return state
    reply.header('content-encoding', 'gzip').type('application/json; charset=utf-8')
    return await zippedState(state)
  })
}

/** Zipped states. All viewers of a film share a state for a second, and its zipped form with it. */
const zippedStates = new WeakMap<PlayState, Promise<Buffer>>()

export function zippedState(state: PlayState): Promise<Buffer> {
  const zipped = zippedStates.get(state) ?? promisify(gzip)(JSON.stringify(state))
  zippedStates.set(state, zipped)
  return zipped
}
