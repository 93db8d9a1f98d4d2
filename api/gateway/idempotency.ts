import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { seal, unseal } from '../../runtime/seal.ts'
import { answerIdempotencyKey } from '../../store/db/accounts/answer-idempotency-key.ts'
import {
  type KeyedRequest,
  type TakenKey,
  takeIdempotencyKey,
} from '../../store/db/accounts/take-idempotency-key.ts'
import type { Db } from '../../store/db/database.ts'
import type { ApiContext } from '../context.ts'
import { credentialIdOf } from './caller.ts'
import { pathOf } from './path.ts'
import type { Server } from './typed-server.ts'

/**
 * Handles `Idempotency-Key` on every POST in an account's name: the same body gets the same answer
 * for 24 hours, another body 409.
 *
 * A key's row is written before the route runs and holds the id of one act. The route creates its
 * objects under that id (`request.idempotency`), so a process may die at any point: a repeated
 * request continues the same act and finds its objects. The answer is stored before it is sent; one
 * that may differ the next time (5xx, 429) is not stored. A route whose answer shows a secret never
 * continues an act: it repeats the stored answer, or reports that it was lost.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /** The act of its Idempotency-Key, if it has one. */
    idempotency: IdempotentAct | undefined
  }
  interface FastifyContextConfig {
    /** Its answer shows a secret that is stored nowhere else in the clear. */
    showsSecret?: boolean
    /** An answer 202 says that the same request may soon have another one. */
    mayBeUnfinished?: boolean
  }
}

/** The act of a key. `id`: the id of its object, or remembered by it. */
export type IdempotentAct = KeyedRequest & { readonly id: string }

/** Published form of the header; a request that breaks the rule gets our own message. */
export const keyedHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'Key of 1 to 255 visible ASCII characters. A repeated request with the same key and body gets the first response for 24 hours, and nothing is done twice',
    }),
  ),
})

const keyShape = /^[\x21-\x7e]{1,255}$/
/** Time for which a duplicate waits for the answer in progress. */
const waitMs = 10_000
const lookAgainMs = 100

export function repeatAnswers(
  server: Server,
  { log, sealKeys }: Pick<ApiContext, 'log' | 'sealKeys'>,
): void {
  server.decorateRequest('idempotency')

  server.addHook('preHandler', async (request, reply) => {
    const keyed = keyedRequest(request)
    if (keyed === undefined) return
    const taken = await takeOrWait(request.db, keyed)
    switch (taken.outcome) {
      case 'taken':
        request.idempotency = { ...keyed, id: taken.id }
        if (taken.isResumed && request.routeOptions.config.showsSecret) throw lostSecret()
        return
      case 'answered':
        return replay(reply, { ...taken, answer: unseal(sealKeys, taken.answer, taken.id) })
      case 'other-body': {
        const rule = 'An Idempotency-Key must belong to one request of one caller.'
        throw refused(`${rule} Got another body or caller than the first request with ${keyed.key}`)
      }
      case 'in-flight':
        reply.header('retry-after', '1')
        throw refused('The first request with this Idempotency-Key is still in progress; try again')
      default:
        taken satisfies never
    }
  })

  server.addHook('onSend', async (request, reply, payload) => {
    const act = request.idempotency
    if (act === undefined) return payload
    const { statusCode } = reply
    const isUnfinished = statusCode === 202 && request.routeOptions.config.mayBeUnfinished === true
    const mayDiffer = statusCode >= 500 || statusCode === 429 || isUnfinished
    const isKept = !mayDiffer && isText(payload)
    const contentType = reply.getHeader('content-type')
    await answerIdempotencyKey(request.db, {
      ...act,
      ...(isKept && {
        answer: {
          status: statusCode,
          contentType: typeof contentType === 'string' ? contentType : null,
          sealed: seal(sealKeys, String(payload ?? ''), act.id),
        },
      }),
    }).catch((error: unknown) =>
      // Logged only: the act continues when it is repeated after its claim.
      log.warn({ err: error, route: act.route }, 'an answer could not be stored'),
    )
    return payload
  })

  async function takeOrWait(db: Db, keyed: KeyedRequest): Promise<TakenKey> {
    const deadline = performance.now() + waitMs
    for (;;) {
      const taken = await takeIdempotencyKey(db, { ...keyed, newId: randomUUID() })
      if (taken.outcome !== 'in-flight' || performance.now() > deadline) return taken
      await sleep(lookAgainMs)
    }
  }
}

/** @throws FarmError invalid_request */
function keyedRequest({ method, headers, url, body, account }: FastifyRequest) {
  const key = headers['idempotency-key']
  if (method !== 'POST' || key === undefined || !account) return undefined
  if (typeof key !== 'string' || !keyShape.test(key)) {
    const rule = 'Idempotency-Key must be 1 to 255 visible ASCII characters.'
    const message = `${rule} Got ${JSON.stringify(key).slice(0, 80)}`
    throw new FarmError('invalid_request', message, { field: 'Idempotency-Key' })
  }
  const [, query = ''] = url.split('?', 2)
  const { credential } = account
  // The hash covers the caller, because an answer may hold data that the account's other keys may
  // not see.
  const caller = credential.kind === 'session' ? credential.userId : credentialIdOf(credential)
  const hash = createHash('sha256').update(`${caller}\n${query}\n`)
  if (Buffer.isBuffer(body)) hash.update(body)
  return { accountId: account.accountId, route: pathOf(url), key, bodySha256: hash.digest() }
}

function replay(
  reply: FastifyReply,
  { status, contentType, answer }: { status: number; contentType: string | null; answer: string },
): FastifyReply {
  reply.code(status).header('idempotent-replayed', 'true')
  if (contentType !== null) reply.type(contentType)
  return reply.send(answer)
}

/** A secret is never shown twice, and the object of the lost answer is not created again. */
function lostSecret(): FarmError {
  const rule = 'A repeated request that shows a secret must have a stored first response.'
  const how = 'list what exists, delete what you have no secret of, and use another key'
  return refused(`${rule} Got one whose first response was lost; ${how}`)
}

function refused(message: string): FarmError {
  return new FarmError('conflict', message, { field: 'Idempotency-Key' })
}

/** Answers of the service are text; null is an empty one. */
function isText(payload: unknown): payload is string | null | undefined {
  return payload == null || typeof payload === 'string'
}
