import type { NewWebhook } from '../../client/farm-client.ts'
import { hints, object, string, text, tool } from '../tool.ts'

export const createWebhook = tool<NewWebhook>({
  name: 'create_webhook',
  title: 'Register a webhook endpoint',
  description: 'Registers an https address for events. Free. Its secret is never shown to agents.',
  hints: { ...hints.adds, openWorldHint: true },
  input: object({
    url: string('https'),
    events: {
      type: 'array',
      items: { type: 'string', enum: ['render.completed', 'render.failed'] },
    },
    'description?': string(),
  }),
  async run(webhook, { farm, signal }) {
    const { id } = await farm.webhooks.create(webhook, { signal })
    return text(
      `Webhook ${id}. To verify its signatures the person gets a secret by rotating it with their own key or in the dashboard.`,
    )
  },
})
