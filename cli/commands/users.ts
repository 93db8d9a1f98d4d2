import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readName } from '../options.ts'
import { onRecord } from './on-record.ts'

type Options = { readonly passwordStdin?: boolean; readonly json?: boolean }

const passwordHelp = 'read the password from standard input (default: make one up and show it once)'

export function usersCommand(): Command {
  const group = new Command('users')
    .description('Create the people who sign in to the dashboard (needs DATABASE_URL).')
    .exitOverride()
  onRecord(group.command('create'))
    .description('Let someone sign in to an account.')
    .argument('<account>', 'its id or name', readName)
    .argument('<email>', 'which they sign in with')
    .option('--first-name <name>')
    .option('--last-name <name>')
    .option('--password-stdin', passwordHelp)
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, email: string, options: Options & ActOptions) => {
      const { addUser } = await import('../accounts/users.ts')
      await addUser({ account, email, ...options })
    })
  group
    .command('list')
    .description('Show the users of an account, its owner first.')
    .argument('<account>', 'its id or name', readName)
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, options: Options) => {
      const { showUsers } = await import('../accounts/users.ts')
      await showUsers({ account, ...options })
    })
  onRecord(group.command('set-password'))
    .description('Give a user another password, which ends their sessions.')
    .argument('<email>', 'which they sign in with')
    .option('--password-stdin', passwordHelp)
    .option('--json', 'answer as JSON, for programs')
    .action(async (email: string, options: Options & ActOptions) => {
      const { changePassword } = await import('../accounts/users.ts')
      await changePassword({ email, ...options })
    })
  return group
}
