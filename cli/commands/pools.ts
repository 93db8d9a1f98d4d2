import { Command } from 'commander'
import { usage } from '../failure.ts'
import type { ActOptions } from '../fleet/act.ts'
import { readSlotLimit } from '../options.ts'
import { onRecord } from './on-record.ts'

type LimitOptions = ActOptions & { readonly farm?: boolean; readonly slots: number | 'none' }

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
    .description('Limit the tasks that run at once in a pool, or in the whole farm.')
    .argument('[pool]', 'its name; "" for the nodes that name none')
    .option('--farm', 'the whole farm instead of a pool')
    .requiredOption('--slots <n>', 'tasks at once, or "none" to lift the limit', readSlotLimit)
    .option('--json', 'answer as JSON, for programs')
    .action(async (pool: string | undefined, { farm, ...options }: LimitOptions) => {
      if ((pool === undefined) !== (farm === true)) {
        const seen = farm ? `both --farm and POOL ${pool}` : 'neither'
        throw usage(`Either POOL or --farm must say what to limit. Got ${seen}`)
      }
      const { setPoolLimit } = await import('../fleet/pools.ts')
      await setPoolLimit({ pool, ...options })
    })
  return group
}
