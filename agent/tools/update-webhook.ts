import type { WebhookChange } from '../../client/farm-client.ts'
import { hints, object, string, text, tool } from '../tool.ts'

export const updateWebhook = tool<WebhookChange & { webhook: string }>({
  name: 'update_webhook',
  title: 'Change a webhook endpoint',
  description: 'Sets address, events, description or status of an endpoint. Free.',
  hints: { ...hints.setsOnce, destructiveHint: true, openWorldHint: true },
  input: object({
    webhook: string(),
    'url?': string('https'),
    'events?': {
      type: 'array',
      items: { type: 'string', enum: ['render.completed', 'render.failed'] },
    },
    'description?': string(),
    'status?': { type: 'string', enum: ['active', 'disabled'] },
  }),
  async run({ webhook, ...change }, { farm, signal }) {
    const { id, status } = await farm.webhooks.change(webhook, change, { signal })
    return text(`Webhook ${id} is ${status}.`)
  },
})
