import { Command } from 'commander'
import { usage } from '../failure.ts'
import type { ActOptions } from '../fleet/act.ts'
import { readSlotLimit } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type LimitOptions = ActOptions & {
  readonly farm?: boolean
  readonly pool: boolean
  readonly slots: number | 'none'
}

export function poolsCommand(): Command {
  const group = new Command('pools')
    .description(`Show pools of nodes and limit their tasks ${needsFarm}.`)
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description('Show every pool with its nodes, slots and limit.')
    .option('--json', 'print JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { showPools } = await import('../fleet/pools.ts')
      await showPools(options)
    })
  onRecord(group.command('limit'))
    .description('Limit the tasks that run at once in a pool or in the whole farm.')
    .argument('[pool]', 'name of the pool')
    .option('--farm', 'limit the whole farm instead of a pool')
    .option('--no-pool', 'limit the nodes without a pool')
    .requiredOption('--slots <n>', 'tasks at once, or "none" to lift the limit', readSlotLimit)
    .option('--json', 'print JSON, for programs')
    .action(async (name: string | undefined, { farm, pool: inPool, ...options }: LimitOptions) => {
      // An unset "$POOL" must not stop every node without a pool.
      if (name === '') {
        throw usage('POOL must be a name, or --no-pool for the nodes that name none. Got ""')
      }
      const said = [...(farm ? ['--farm'] : []), ...(inPool ? [] : ['--no-pool'])]
      if (name !== undefined) said.push(`POOL ${name}`)
      if (said.length !== 1) {
        const seen = said.length === 0 ? 'none of them' : said.join(' and ')
        throw usage(`POOL, --farm or --no-pool must say what to limit. Got ${seen}`)
      }
      const pool = inPool ? name : ''
      const { setPoolLimit } = await import('../fleet/pools.ts')
      await setPoolLimit({ pool, ...options })
    })
  return group
}
