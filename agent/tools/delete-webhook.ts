import { hints, object, string, text, tool } from '../tool.ts'

export const deleteWebhook = tool<{ webhook: string }>({
  name: 'delete_webhook',
  title: 'Delete a webhook endpoint',
  description: 'Deletes an endpoint; its pending deliveries end. Ask the person first.',
  hints: hints.spends,
  input: object({ webhook: string() }),
  async run({ webhook }, { farm, signal }) {
    await farm.webhooks.delete(webhook, { signal })
    return text(`Deleted ${webhook}.`)
  },
})
