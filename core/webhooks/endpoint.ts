import { type Static, type TSchema, Type } from 'typebox'
import type { Fault } from '../errors.ts'
import { type Check, compileCheck, isRecord } from '../project/check.ts'
import { makeReport } from '../project/report.ts'
import { checkBounds } from '../project/walk.ts'
import { webhookEvents } from './envelope.ts'

/** The life of an endpoint. `disabled`: by its owner, or after 20 exhausted deliveries in a row. */
export const webhookStatuses = ['active', 'disabled'] as const
export type WebhookStatus = (typeof webhookStatuses)[number]

/** What an endpoint's secret is sealed as, so that it opens for no other endpoint. */
export function sealedAs(webhookId: string): string {
  return `webhook ${webhookId}`
}

const url = Type.String({
  pattern: '^https?://',
  minLength: 1,
  maxLength: 2048,
  title: 'a public https URL',
  urlOf: 'webhook',
})
const events = Type.Array(Type.Enum(webhookEvents))
const description = Type.String({
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the database keeps no NUL
  pattern: /^[^\u0000]*$/.source,
  maxLength: 1000,
  title: 'a text without NUL',
})

export const NewWebhook = Type.Object(
  { url, events, description: Type.Optional(description) },
  { title: 'a webhook', additionalProperties: false },
)
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookChange = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    description: Type.Optional(description),
    status: Type.Optional(Type.Enum(webhookStatuses)),
  },
  { title: 'a change of a webhook', additionalProperties: false },
)
export type WebhookChange = Static<typeof WebhookChange>

export const TestOrder = Type.Object(
  { event: Type.Optional(Type.Enum(webhookEvents)) },
  { title: 'a test order', additionalProperties: false },
)
export type TestOrder = Static<typeof TestOrder>

type Read<T> = { readonly value: T } | { readonly faults: readonly Fault[] }
type Options = { readonly trustedHosts?: readonly string[] }

export const readNewWebhook = readerOf(NewWebhook)
export const readWebhookChange = readerOf(WebhookChange)
export const readTestOrder = readerOf(TestOrder)

/** `trustedHosts`: `host:port` that are exempt from the URL rule. Events come back each once. */
function readerOf<T extends TSchema>(schema: T) {
  const check: Check = compileCheck(schema)
  return (body: unknown, { trustedHosts = [] }: Options = {}): Read<Static<T>> => {
    const report = makeReport('invalid_request')
    if (!isRecord(body)) {
      report.add('', 'The body must be a JSON object.')
      return { faults: report.faults }
    }
    checkBounds(body, report)
    if (report.faults.length > 0) return { faults: report.faults }
    check(body, '', { stage: 'filled', report, trustedHosts })
    if (Array.isArray(body.events) && body.events.length === 0) {
      report.add(
        'events',
        `events must name at least one of ${webhookEvents.join(', ')}. Got none.`,
      )
    }
    if (report.faults.length > 0) return { faults: report.faults }
    const once = Array.isArray(body.events) && { events: [...new Set(body.events)] }
    return { value: { ...body, ...once } as Static<T> }
  }
}
