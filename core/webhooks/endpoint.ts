import { type Static, Type } from 'typebox'
import { text, urlPattern } from '../project/schema/fields.ts'
import { webhookEvents } from './envelope.ts'

/** States of an endpoint. `disabled`: by its owner, or after 20 exhausted deliveries in a row. */
export const webhookStatuses = ['active', 'disabled'] as const
export type WebhookStatus = (typeof webhookStatuses)[number]

/** Context that an endpoint's secret is sealed with, so that it opens for no other endpoint. */
export function sealedAs(webhookId: string): string {
  return `webhook ${webhookId}`
}

const url = Type.String({
  pattern: urlPattern,
  minLength: 1,
  maxLength: 2048,
  title: 'a public URL that starts with https://, in small letters',
  urlOf: 'webhook',
})
const events = Type.Array(Type.Enum(webhookEvents), { minItems: 1 })
const description = text(1000)

export const NewWebhook = Type.Object(
  { url, events, description: Type.Optional(description) },
  { title: 'a webhook', additionalProperties: false },
)

export const WebhookChange = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    description: Type.Optional(description),
    status: Type.Optional(Type.Enum(webhookStatuses)),
  },
  { title: 'a change of a webhook', additionalProperties: false, minProperties: 1 },
)
export type WebhookChange = Static<typeof WebhookChange>

export const TestOrder = Type.Object(
  { event: Type.Optional(Type.Enum(webhookEvents)) },
  { title: 'a test request', additionalProperties: false },
)
