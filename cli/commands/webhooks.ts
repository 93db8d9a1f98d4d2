import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readLines, readName, readUuid } from '../options.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }

export function webhooksCommand(): Command {
  const group = new Command('webhooks')
    .description('Webhook endpoints of an account and their deliveries (needs DATABASE_URL).')
    .exitOverride()
  group
    .command('list')
    .description('Show endpoints, and hosts of webhookUrls, with what is pending.')
    .argument('<account>', 'its id or name', readName)
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, options: Json) => {
      const { showWebhooks } = await import('../accounts/webhooks.ts')
      await showWebhooks({ account, ...options })
    })
  group
    .command('show')
    .description('Show an endpoint and its latest deliveries with their last answers.')
    .argument('<account>', 'its id or name', readName)
    .argument('<webhook>', "the endpoint's id", readName)
    .option('--limit <n>', 'deliveries', readLines, 20)
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, webhook: string, options: Json & { limit: number }) => {
      const { showWebhook } = await import('../accounts/webhooks.ts')
      await showWebhook({ account, webhook, ...options })
    })
  onRecord(group.command('stop'))
    .description('Disable an endpoint, or end one pending delivery for good.')
    .argument('<account>', 'its id or name', readName)
    .argument('<id>', 'of the endpoint or of the delivery', readName)
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, id: string, options: ActOptions) => {
      const { stopWebhook } = await import('../accounts/webhooks.ts')
      await stopWebhook({ account, id, ...options })
    })
  onRecord(group.command('redeliver'))
    .description('Send an ended delivery again, under a new id.')
    .argument('<account>', 'its id or name', readName)
    .argument('<delivery>', 'its id', readUuid)
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, delivery: string, options: ActOptions) => {
      const { redeliverWebhook } = await import('../accounts/webhooks.ts')
      await redeliverWebhook({ account, delivery, ...options })
    })
  return group
}
