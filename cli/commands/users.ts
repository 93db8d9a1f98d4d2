import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readName } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type Options = { readonly passwordStdin?: boolean; readonly json?: boolean }

const passwordHelp =
  'read the password from standard input (default: generate one and show it once)'

export function usersCommand(): Command {
  const group = new Command('users')
    .description(`Create and list users of the dashboard, end their sessions ${needsFarm}.`)
    .exitOverride()
  onRecord(group.command('create'))
    .description('Create a user who can sign in to an account.')
    .argument('<account>', 'id or name', readName)
    .argument('<email>', 'email address of the user')
    .option('--first-name <name>', 'first name of the user')
    .option('--last-name <name>', 'last name of the user')
    .option('--password-stdin', passwordHelp)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, email: string, options: Options & ActOptions) => {
      const { addUser } = await import('../accounts/users.ts')
      await addUser({ account, email, ...options })
    })
  group
    .command('list')
    .description('Show the users of an account, its owner first.')
    .argument('<account>', 'id or name', readName)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, options: Options) => {
      const { showUsers } = await import('../accounts/users.ts')
      await showUsers({ account, ...options })
    })
  onRecord(group.command('set-password'))
    .description('Change the password of a user and end their sessions.')
    .argument('<email>', 'email address of the user')
    .option('--password-stdin', passwordHelp)
    .option('--json', 'print JSON, for programs')
    .action(async (email: string, options: Options & ActOptions) => {
      const { changePassword } = await import('../accounts/users.ts')
      await changePassword({ email, ...options })
    })
  onRecord(group.command('end-sessions'))
    .description('End all sessions of a user and disconnect their agents; the password stays.')
    .argument('<email>', 'email address of the user')
    .option('--json', 'print JSON, for programs')
    .action(async (email: string, options: ActOptions) => {
      const { endSessions } = await import('../accounts/users.ts')
      await endSessions({ email, ...options })
    })
  return group
}
