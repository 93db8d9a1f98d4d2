import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Log } from '../runtime/log.ts'
import type { KeyHolder } from '../store/db/statements/find-key.ts'
import type { IdempotentAct } from './idempotency.ts'

/** Fastify whose routes take their types from TypeBox schemas. */
export type Server = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  Log,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; set on every route behind `authenticate`. */
    account: KeyHolder
    /** The act of its Idempotency-Key, if it has one. */
    idempotency: IdempotentAct | undefined
  }
}
