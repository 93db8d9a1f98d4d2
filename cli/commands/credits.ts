import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readCorrection, readCredits, readLines, readName } from '../options.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }

const defaultLines = 20

export function creditsCommand(): Command {
  const group = new Command('credits')
    .description('Grant credits and read the ledger (needs DATABASE_URL).')
    .exitOverride()
  onRecord(group.command('grant'))
    .description('Add credits to an account.')
    .argument('<account>', 'its id or name', readName)
    .argument('<credits>', 'how many', readCredits)
    .option('--note <text>', 'for its ledger, which it reads', 'granted by an operator')
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, credits: number, options: ActOptions & { note: string }) => {
      const { giveCredits } = await import('../accounts/credits.ts')
      await giveCredits({ account, credits, ...options })
    })
  onRecord(group.command('correct'))
    .description('Change a balance, downwards too; credits that are held for jobs stay.')
    .argument('<account>', 'its id or name', readName)
    .argument('<credits>', 'by how many, like -5', readCorrection)
    .option('--note <text>', 'for its ledger, which it reads', 'corrected by an operator')
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, credits: number, options: ActOptions & { note: string }) => {
      const { changeCredits } = await import('../accounts/credits.ts')
      await changeCredits({ account, credits, ...options })
    })
  group
    .command('balance')
    .description('Show what an account has and what is held for running jobs.')
    .argument('<account>', 'its id or name', readName)
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, options: Json) => {
      const { showBalance } = await import('../accounts/credits.ts')
      await showBalance({ account, ...options })
    })
  group
    .command('history')
    .description('Show the ledger of an account, newest first.')
    .argument('<account>', 'its id or name', readName)
    .option('--limit <n>', 'lines', readLines, defaultLines)
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, options: Json & { limit: number }) => {
      const { showHistory } = await import('../accounts/credits.ts')
      await showHistory({ account, ...options })
    })
  return group
}
