import { hints, object, string, text, tool } from '../tool.ts'

export const testWebhook = tool<{ webhook: string }>({
  name: 'test_webhook',
  title: 'Send a test event',
  description: 'Sends a sample event, flagged as a test, to an endpoint. Free.',
  hints: { ...hints.adds, openWorldHint: true },
  input: object({ webhook: string() }),
  async run({ webhook }, { farm, signal }) {
    const { deliveryId } = await farm.webhooks.test(webhook, {}, { signal })
    return text(`Queued as delivery ${deliveryId}.`)
  },
})
