import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readCorrection, readCredits, readLines, readName } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }

const defaultLines = 20

export function creditsCommand(): Command {
  const group = new Command('credits')
    .description(`Grant credits and read the ledger ${needsFarm}.`)
    .exitOverride()
  onRecord(group.command('grant'))
    .description('Add credits to an account.')
    .argument('<account>', 'id or name', readName)
    .argument('<credits>', 'credits to add', readCredits)
    .option(
      '--note <text>',
      'note in the ledger, which the account can read',
      'granted by an operator',
    )
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, credits: number, options: ActOptions & { note: string }) => {
      const { giveCredits } = await import('../accounts/credits.ts')
      await giveCredits({ account, credits, ...options })
    })
  onRecord(group.command('correct'))
    .description('Change a balance, up or down; credits held for jobs are kept.')
    .argument('<account>', 'id or name', readName)
    .argument('<credits>', 'credits to add or, like -5, to remove', readCorrection)
    .option(
      '--note <text>',
      'note in the ledger, which the account can read',
      'corrected by an operator',
    )
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, credits: number, options: ActOptions & { note: string }) => {
      const { changeCredits } = await import('../accounts/credits.ts')
      await changeCredits({ account, credits, ...options })
    })
  group
    .command('balance')
    .description('Show the balance of an account and the credits held for running jobs.')
    .argument('<account>', 'id or name', readName)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, options: Json) => {
      const { showBalance } = await import('../accounts/credits.ts')
      await showBalance({ account, ...options })
    })
  group
    .command('history')
    .description('Show the ledger of an account, newest first.')
    .argument('<account>', 'id or name', readName)
    .option('--limit <n>', 'lines', readLines, defaultLines)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, options: Json & { limit: number }) => {
      const { showHistory } = await import('../accounts/credits.ts')
      await showHistory({ account, ...options })
    })
  return group
}
