import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import type { NewWindow } from '../fleet/maintenance.ts'
import { readLines, readName, readTime, readTimeToCome, readUuid } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

export function maintenanceCommand(): Command {
  const group = new Command('maintenance')
    .description(`Plan when nodes or pools take no work ${needsFarm}.`)
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description('Show windows to come and those that go on, then ended ones.')
    .option('--limit <n>', 'lines', readLines, 20)
    .option('--json', 'print JSON, for programs')
    .action(async (options: { limit: number; json?: boolean }) => {
      const { showWindows } = await import('../fleet/maintenance.ts')
      await showWindows(options)
    })
  onRecord(group.command('add'))
    .description('Cordon a node or a pool from a time on, and uncordon it at another.')
    .option('--node <node>', 'id or name of one node', readName)
    .option('--pool <pool>', 'all nodes of this pool', readName)
    .option('--no-pool', 'all nodes without a pool')
    .option('--from <time>', 'begin, like 2030-01-31T22:00:00+01:00 (default: now)', readTime)
    .requiredOption('--to <time>', 'end, like 2030-02-01T02:00:00+01:00', readTimeToCome)
    .option('--json', 'print JSON, for programs')
    .action(async (options: ActOptions & NewWindow) => {
      const { addWindow } = await import('../fleet/maintenance.ts')
      await addWindow(options)
    })
  onRecord(group.command('cancel'))
    .description('Cancel a window; where it has begun, its nodes take work again.')
    .argument('<window>', 'id', readUuid)
    .option('--json', 'print JSON, for programs')
    .action(async (window: string, options: ActOptions) => {
      const { cancelWindow } = await import('../fleet/maintenance.ts')
      await cancelWindow({ window, ...options })
    })
  return group
}
