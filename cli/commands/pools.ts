import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readSlots } from '../options.ts'
import { onRecord } from './on-record.ts'

export function poolsCommand(): Command {
  const group = new Command('pools')
    .description('Pools of nodes, and what may run in them (needs DATABASE_URL).')
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description('Show every pool with its nodes, slots and limit.')
    .option('--json', 'answer as JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { showPools } = await import('../fleet/pools.ts')
      await showPools(options)
    })
  onRecord(group.command('limit'))
    .description('Limit what runs at once in a pool; without --slots the limit goes.')
    .argument('[pool]', 'its name (default: the whole farm)')
    .option('--slots <n>', 'tasks at once', readSlots)
    .option('--json', 'answer as JSON, for programs')
    .action(async (pool: string | undefined, options: ActOptions & { slots?: number }) => {
      const { setPoolLimit } = await import('../fleet/pools.ts')
      await setPoolLimit({ pool, slots: options.slots, ...options })
    })
  return group
}
