import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readName, readNames, readShareSlots, readWeight } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type ShareOptions = ActOptions & {
  readonly weight?: number
  readonly guaranteed?: number | 'plan'
  readonly burst?: number | 'plan'
  readonly pool?: string
  readonly tags?: readonly string[]
}

export function queueCommand(): Command {
  const group = new Command('queue')
    .description(`Show waiting tasks, and set the shares of accounts ${needsFarm}.`)
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description(
      'Show waiting tasks by account and kind, tasks that no node can run, and limits that are reached.',
    )
    .option('--json', 'print JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { showQueue } = await import('../fleet/queue.ts')
      await showQueue(options)
    })
  group
    .command('shares')
    .description('Show the accounts whose share differs from that of their plan.')
    .option('--json', 'print JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { showShares } = await import('../fleet/queue.ts')
      await showShares(options)
    })
  onRecord(group.command('share'))
    .description('Change the share of an account and show the result.')
    .argument('<account>', 'id or name', readName)
    .option('--weight <n>', 'weight relative to other accounts of its plan', readWeight)
    .option(
      '--guaranteed <n>',
      'slots it gets before other accounts exceed theirs, or "plan"',
      readShareSlots,
    )
    .option('--burst <n>', 'most slots it ever gets, or "plan"', readShareSlots)
    .option('--pool <name>', 'only pool that its tasks run in; "" for any')
    .option(
      '--tags <names>',
      'tags that its nodes must have, separated by commas; "" for none',
      readNames,
    )
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, options: ShareOptions) => {
      const { changeShare } = await import('../fleet/queue.ts')
      const { weight, guaranteed, burst, pool, tags, ...rest } = options
      const change = {
        ...(weight !== undefined && { weight }),
        ...(guaranteed !== undefined && { slotsGuaranteed: ofPlan(guaranteed) }),
        ...(burst !== undefined && { slotsBurst: ofPlan(burst) }),
        ...(pool !== undefined && { pool: pool || null }),
        ...(tags !== undefined && { tags }),
      }
      await changeShare({ account, change, ...rest })
    })
  return group
}

/** The plan's value is null in the account's row. */
function ofPlan(slots: number | 'plan'): number | null {
  return slots === 'plan' ? null : slots
}
