import type { Delivery } from '../../client/farm-client.ts'
import { quotedInList } from '../strangers-text.ts'
import { take } from '../take.ts'
import { hints, object, string, text, tool } from '../tool.ts'

const deliveriesMost = 25

export const listWebhooks = tool<{ deliveriesOf?: string }>({
  name: 'list_webhooks',
  title: 'List webhook endpoints',
  description:
    'Lists the addresses that are told when a render ends, or the newest deliveries of one, for redeliver. Free.',
  hints: hints.reads,
  input: object({ 'deliveriesOf?': string('Webhook id') }),
  async run({ deliveriesOf }, { farm, signal }) {
    if (deliveriesOf !== undefined) {
      const newest = await take(farm.webhooks.deliveries(deliveriesOf, { signal }), deliveriesMost)
      return newest.length === 0 ? text('No deliveries yet.') : text(...newest.map(deliveryLine))
    }
    const { webhooks, usage } = await farm.webhooks.list({ signal })
    return text(
      `${usage.used} of ${usage.limit} endpoints.`,
      ...webhooks.map(
        ({ id, url, events, status }) =>
          `- ${id}: ${quotedInList(url)} ${events.join(', ')} (${status})`,
      ),
    )
  },
})

function deliveryLine({ id, event, jobId, status, failedReason, attempts, ...rest }: Delivery) {
  const last = attempts.at(-1)
  const answered = last
    ? `, last ${last.responseCode ?? quotedInList(last.error ?? '')} at ${last.at}`
    : ''
  const why = failedReason === null ? '' : `: ${quotedInList(failedReason)}`
  const test = rest.test ? ' (test)' : ''
  return `- ${id}: ${event}${test} of render ${jobId}, ${status} after ${attempts.length} attempts${answered}${why}`
}
