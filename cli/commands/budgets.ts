import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readCredits, readName } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

export function budgetsCommand(): Command {
  const group = new Command('budgets')
    .description(`Watch or limit what accounts spend in a month ${needsFarm}.`)
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description('Show budgets, those with the largest spent share first.')
    .option('--json', 'print JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { showBudgets } = await import('../accounts/budgets.ts')
      await showBudgets(options)
    })
  onRecord(group.command('set'))
    .description('Tell receivers when an account has spent 50, 80 and 100 % of a month’s credits.')
    .argument('<account>', 'id or name', readName)
    .argument('<credits>', 'credits of a calendar month, UTC', readCredits)
    .option('--stop', 'refuse new jobs once it is spent, until the month’s end')
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, credits: number, options: ActOptions & { stop?: boolean }) => {
      const { setBudget } = await import('../accounts/budgets.ts')
      await setBudget({ account, credits, ...options })
    })
  onRecord(group.command('remove'))
    .description('End the budget of an account, which takes new jobs again at once.')
    .argument('<account>', 'id or name', readName)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, options: ActOptions) => {
      const { removeBudget } = await import('../accounts/budgets.ts')
      await removeBudget({ account, ...options })
    })
  return group
}
