import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Log } from '../../runtime/log.ts'
import type { Db } from '../../store/db/database.ts'
import type { AgentCall, Caller, Made, OperatorCaller } from './caller.ts'

/** Fastify whose routes take their types from TypeBox schemas. */
export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Log,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts one more request of the caller. @throws FarmError too_many_requests */
    readonly limitRate: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  }
  interface FastifyRequest {
    /** The caller; set on every route whose `config` names credentials (authenticate.ts). */
    account: Caller
    /** The database as that account sees it: no statement finds a row of another one. */
    db: Db
    /** The operator; set on the routes for operators, which have no account. */
    operator: OperatorCaller
    /** The job or bulk that it made (traces.ts). */
    made: Made | undefined
    /** The agent's request that this process makes this one for (agent-calls.ts). */
    innerOf: AgentCall | undefined
    /** Facts that the endpoint for agents has about its own request. */
    agentCall: AgentCall | undefined
  }
}
