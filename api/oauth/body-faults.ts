import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { FarmError } from '../../core/errors.ts'
import { answerError } from '../gateway/problem.ts'
import type { Fault } from './next-step.ts'
import { oauthPaths } from './paths.ts'

/** Longest form or registration. */
export const maxBodyBytes = 16_384

const kinds = {
  form: {
    error: 'invalid_request',
    mediaType: 'application/x-www-form-urlencoded',
    next: 'Send only the parameters that the request needs',
    send: 'Send the parameters as a form',
  },
  registration: {
    error: 'invalid_client_metadata',
    mediaType: 'application/json',
    next: 'Leave out or shorten metadata, and register again',
    send: 'Send the metadata as JSON',
  },
} as const

/** Answers a body that is too long or of another type as OAuth does, and any other error as each route. */
export function answerBodyFault(
  error: FastifyError | FarmError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { url } = request.routeOptions
  const kind = kinds[url === oauthPaths.register ? 'registration' : 'form']
  const isLarge = error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
  const isOfOtherType = ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type'].includes(
    error.code,
  )
  if (request.is404 || !(isLarge || isOfOtherType)) {
    answerError(error, request, reply)
    return
  }
  const fault: Fault = {
    error: kind.error,
    error_description: isLarge
      ? `The body must have at most ${maxBodyBytes} bytes. Got more. ${kind.next}`
      : `The body must be ${kind.mediaType}. Got another content-type, or none. ${kind.send}`,
  }
  // A body that was refused unread must not be parsed as the next request.
  if (!request.raw.complete) reply.header('connection', 'close')
  reply
    .code(isLarge ? 413 : 415)
    .type('application/json')
    .send(fault)
}
