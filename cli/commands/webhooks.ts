import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readLines, readName, readUuid } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }

export function webhooksCommand(): Command {
  const group = new Command('webhooks')
    .description(`Show, stop and repeat webhook deliveries of an account ${needsFarm}.`)
    .exitOverride()
  group
    .command('list')
    .description('Show endpoints and hosts of webhookUrls with their pending deliveries.')
    .argument('<account>', 'id or name', readName)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, options: Json) => {
      const { showWebhooks } = await import('../accounts/webhooks.ts')
      await showWebhooks({ account, ...options })
    })
  group
    .command('show')
    .description('Show an endpoint and its latest deliveries with the last response to each.')
    .argument('<account>', 'id or name', readName)
    .argument('<webhook>', 'id of the endpoint', readName)
    .option('--limit <n>', 'deliveries', readLines, 20)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, webhook: string, options: Json & { limit: number }) => {
      const { showWebhook } = await import('../accounts/webhooks.ts')
      await showWebhook({ account, webhook, ...options })
    })
  onRecord(group.command('stop'))
    .description('Disable an endpoint, or drop one pending delivery.')
    .argument('<account>', 'id or name', readName)
    .argument('<id>', 'id of the endpoint or of the delivery', readName)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, id: string, options: ActOptions) => {
      const { stopWebhook } = await import('../accounts/webhooks.ts')
      await stopWebhook({ account, id, ...options })
    })
  onRecord(group.command('redeliver'))
    .description('Send an ended delivery again under a new id.')
    .argument('<account>', 'id or name', readName)
    .argument('<delivery>', 'id', readUuid)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, delivery: string, options: ActOptions) => {
      const { redeliverWebhook } = await import('../accounts/webhooks.ts')
      await redeliverWebhook({ account, delivery, ...options })
    })
  return group
}
