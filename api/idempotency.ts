import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { seal, unseal } from '../runtime/seal.ts'
import type { Db } from '../store/db/database.ts'
import { answerIdempotencyKey } from '../store/db/statements/answer-idempotency-key.ts'
import {
  type KeyedRequest,
  type TakenKey,
  takeIdempotencyKey,
} from '../store/db/statements/take-idempotency-key.ts'
import type { ApiContext } from './context.ts'
import type { Server } from './typed-server.ts'

/**
 * `Idempotency-Key` on every POST that is made in the name of an account: the same body gets the same answer for 24 hours,
 * another body 409.
 *
 * A key's row is written before the route runs and holds the id of one act. The route makes what it
 * makes under that id (`request.idempotency`), so a process may die at any point: whoever sends the
 * request again goes on as the same act and finds what it had made. The answer is kept before it is
 * sent. What may be different the next time (5xx, 429) is not kept. A route whose answer shows a secret
 * does not go on as the same act: the answer that was kept is repeated, one that was lost is told as such.
 */

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its answer shows a secret that is kept nowhere else in the clear. */
    showsSecret?: boolean
  }
}

/** The act that a key stands for. `id`: what it makes has this id or remembers it. */
export type IdempotentAct = KeyedRequest & { readonly id: string }

/** As it is published; who breaks the rule is told so in our own words. */
export const keyedHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,255}$',
      description:
        'Sent again with the same body within 24 hours, it gets the same answer, and nothing is done twice. 1 to 255 visible ASCII characters',
    }),
  ),
})

const keyShape = /^[\x21-\x7e]{1,255}$/
/** A request whose twin is being answered waits for that answer so long. */
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
        const rule = 'An Idempotency-Key must be sent with one request of one caller only.'
        throw refused(`${rule} Got another body, or caller, than before under ${keyed.key}`)
      }
      case 'in-flight':
        reply.header('retry-after', '1')
        throw refused(
          'The first request with this Idempotency-Key is still being answered; try again',
        )
      default:
        taken satisfies never
    }
  })

  server.addHook('onSend', async (request, reply, payload) => {
    const act = request.idempotency
    if (act === undefined) return payload
    const { statusCode } = reply
    const isKept = statusCode < 500 && statusCode !== 429 && isText(payload)
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
      // The same act goes on when it is asked for again, once its claim is over.
      log.warn({ err: error, route: act.route }, 'an answer could not be kept'),
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
  const [path = '', query = ''] = url.split('?', 2)
  const { credential } = account
  // An answer may hold what only its caller may see, another key of the account not.
  const caller = credential.kind === 'key' ? credential.keyId : credential.userId
  const hash = createHash('sha256').update(`${caller}\n${query}\n`)
  if (Buffer.isBuffer(body)) hash.update(body)
  return { accountId: account.accountId, route: path, key, bodySha256: hash.digest() }
}

function replay(
  reply: FastifyReply,
  { status, contentType, answer }: { status: number; contentType: string | null; answer: string },
): FastifyReply {
  reply.code(status).header('idempotent-replayed', 'true')
  if (contentType !== null) reply.type(contentType)
  return reply.send(answer)
}

/** Nobody has a secret twice, and what was made for the lost answer is not made again beside it. */
function lostSecret(): FarmError {
  const rule = 'The answer to a request that shows a secret must not have been lost.'
  const how = 'Look at what there is, remove what you have no secret of, and take another key'
  return refused(`${rule} Got a request whose first answer never was; ${how}`)
}

function refused(message: string): FarmError {
  return new FarmError('conflict', message, { field: 'Idempotency-Key' })
}

/** All answers of the service are; null is none. */
function isText(payload: unknown): payload is string | null | undefined {
  return payload == null || typeof payload === 'string'
}
