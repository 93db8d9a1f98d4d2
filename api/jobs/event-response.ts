import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { FarmError } from '../../core/errors.ts'
import type { Credential } from '../gateway/caller.ts'
import type { CredentialEnds } from '../gateway/credential-ends.ts'

/** Debounce: changes of a job within this time are sent as one. */
export const coalesceMs = 250
/** Keeps proxies from closing a quiet stream; also bounds the delay after a lost notification. */
export const beatMs = 15_000
/** Tells pages that the line is alive; those that miss it say within seconds that the farm is away. */
export const pulseMs = 5_000
export const retryMs = 1_000
/** Jobs that one statement reads. */
export const jobsPerRead = 100
/** Limit of unsent bytes to one client; a slower client is dropped. */
const maxUnsentBytes = 64 * 1024
/** Beats without progress on the client's connection until it is dropped. */
const maxStalledBeats = 2
/** Longest life of a stream; then the client reconnects. */
const maxStreamMs = 10 * 60_000
const retrySeconds = 10

/** Answer of a route that streams events. */
export const eventStream = (description: string) => ({
  description,
  content: { 'text/event-stream': { schema: Type.Unknown() } },
})

/** A response that is a stream of events. */
export type EventResponse = {
  readonly response: ServerResponse
  readonly since: number
  stalledBeats: number
}

/** Refuses a stream. @throws the refusal */
export function refuseStream(reply: FastifyReply, refusal: FarmError): never {
  reply.header('retry-after', retrySeconds)
  throw refusal
}

/** Sends the head of a stream of events, and takes the response out of the framework's hands. */
export function openStream(reply: FastifyReply): ServerResponse {
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value)
  }
  raw.setHeader('content-type', 'text/event-stream; charset=utf-8')
  // Keeps proxies from buffering the answer.
  raw.setHeader('x-accel-buffering', 'no')
  raw.write('retry: 2000\n\n')
  return raw
}

/** Ends a stream with its key; a stream with a session ends at the next beat after that. */
export function endWithKey(
  response: ServerResponse,
  credential: Credential,
  ends: Pick<CredentialEnds, 'watch'>,
): void {
  const { signal, release } = ends.watch(credential)
  signal.addEventListener('abort', () => response.end())
  response.once('close', release)
}

/** Shows that the line is alive, at the cost of a few bytes. */
export function pulse({ response }: EventResponse): void {
  if (!response.writableNeedDrain) writeTo({ response }, ':\n\n')
}

/** Text of one event. */
export function eventText(name: string, { id, data }: { id: string; data: string }): string {
  return `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`
}

export function writeTo({ response }: Pick<EventResponse, 'response'>, text: string): void {
  if (response.destroyed || response.writableEnded) return
  response.write(text)
  if (response.writableLength > maxUnsentBytes) response.destroy()
}

/** Keeps a stream alive, or ends one that is old or stalled. */
export function beat(stream: EventResponse): void {
  const { response, since } = stream
  stream.stalledBeats = response.writableNeedDrain ? stream.stalledBeats + 1 : 0
  if (stream.stalledBeats >= maxStalledBeats) response.destroy()
  else if (Date.now() - since > maxStreamMs) response.end()
  else writeTo(stream, ': still here\n\n')
}
