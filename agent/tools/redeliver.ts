import { hints, object, string, text, tool } from '../tool.ts'

export const redeliver = tool<{ delivery: string }>({
  name: 'redeliver',
  title: 'Send a delivery again',
  description: 'Sends the same event once more, as a new delivery. Free.',
  hints: { ...hints.adds, openWorldHint: true },
  input: object({ delivery: string() }),
  async run({ delivery }, { farm, signal }) {
    const { deliveryId } = await farm.webhooks.redeliver(delivery, { signal })
    return text(`Queued as delivery ${deliveryId}.`)
  },
})
