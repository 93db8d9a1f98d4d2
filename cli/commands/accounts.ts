import { Command } from 'commander'
import { planNames } from '../../core/accounts/plans.ts'
import type { ActOptions } from '../fleet/act.ts'
import { readName } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }

export function accountsCommand(): Command {
  const group = new Command('accounts')
    .description(`Create accounts, list them, change their plan ${needsFarm}.`)
    .exitOverride()
  onRecord(group.command('create'))
    .description('Create an account without credits.')
    .argument('<name>', 'name of the account', readName)
    .option('--plan <name>', `one of ${planNames.join(', ')}`, 'free')
    .option('--json', 'print JSON, for programs')
    .action(async (name: string, options: ActOptions & { plan: string }) => {
      const { addAccount } = await import('../accounts/accounts.ts')
      await addAccount({ name, ...options })
    })
  group
    .command('list')
    .description('Show every account, newest first.')
    .option('--json', 'print JSON, for programs')
    .action(async (options: Json) => {
      const { showAccounts } = await import('../accounts/accounts.ts')
      await showAccounts(options)
    })
  group
    .command('show')
    .description('Show one account.')
    .argument('<account>', 'id or name', readName)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, options: Json) => {
      const { showAccount } = await import('../accounts/accounts.ts')
      await showAccount({ account, ...options })
    })
  onRecord(group.command('set-plan'))
    .description('Change the plan of an account, from its next request on.')
    .argument('<account>', 'id or name', readName)
    .argument('<plan>', `one of ${planNames.join(', ')}`)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, plan: string, options: ActOptions) => {
      const { changePlan } = await import('../accounts/accounts.ts')
      await changePlan({ account, plan, ...options })
    })
  for (const [name, description] of [
    ['suspend', 'Refuse the credentials of an account; its submitted jobs continue.'],
    ['resume', 'Accept the credentials of a suspended or closed account again.'],
    ['close', 'Revoke the keys of an account, end its sessions and cancel its jobs.'],
  ] as const) {
    onRecord(group.command(name))
      .description(description)
      .argument('<account>', 'id or name', readName)
      .option('--json', 'print JSON, for programs')
      .action(async (account: string, options: ActOptions) => {
        const { changeAccount } = await import('../accounts/accounts.ts')
        await changeAccount(name, { account, ...options })
      })
  }
  return group
}
