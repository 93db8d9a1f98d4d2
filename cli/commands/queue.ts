import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readName, readNames, readShareSlots, readWeight } from '../options.ts'
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
    .description('What waits, and who gets which share of the farm (needs DATABASE_URL).')
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description(
      'Show what waits, by account and kind, what no node can do, and which limits are reached.',
    )
    .option('--json', 'answer as JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { showQueue } = await import('../fleet/queue.ts')
      await showQueue(options)
    })
  group
    .command('shares')
    .description('Show the accounts whose share was set, and is not that of their plan.')
    .option('--json', 'answer as JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { showShares } = await import('../fleet/queue.ts')
      await showShares(options)
    })
  onRecord(group.command('share'))
    .description('Change the share of an account, and show it as it is then.')
    .argument('<account>', 'its id or name', readName)
    .option('--weight <n>', 'relative to other accounts of its plan', readWeight)
    .option(
      '--guaranteed <n>',
      'slots it gets before others get more than theirs, or "plan"',
      readShareSlots,
    )
    .option('--burst <n>', 'slots it never gets more than, or "plan"', readShareSlots)
    .option('--pool <name>', 'the only pool its tasks run in; "" for any')
    .option('--tags <names>', 'what its nodes must have, with commas; "" for nothing', readNames)
    .option('--json', 'answer as JSON, for programs')
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
