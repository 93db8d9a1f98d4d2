import { quoted } from '../strangers-text.ts'
import { hints, object, text, tool } from '../tool.ts'

export const listWebhooks = tool<Record<never, never>>({
  name: 'list_webhooks',
  title: 'List webhook endpoints',
  description: 'Lists the addresses that are told when a render ends. Free.',
  hints: hints.reads,
  input: object({}),
  async run(_, { farm, signal }) {
    const { webhooks, usage } = await farm.webhooks.list({ signal })
    return text(
      `${usage.used} of ${usage.limit} endpoints.`,
      ...webhooks.map(
        ({ id, url, events, status }) => `- ${id}: ${quoted(url)} ${events.join(', ')} (${status})`,
      ),
    )
  },
})
