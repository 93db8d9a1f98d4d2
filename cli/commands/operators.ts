import { Command, Option } from 'commander'
import { type OperatorRole, operatorRoles } from '../../core/operators/roles.ts'
import type { ActOptions } from '../fleet/act.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type Options = ActOptions & { readonly passwordStdin?: boolean }
type RoleOptions = Options & { readonly role: OperatorRole }

const passwordHelp =
  'read the password from standard input (default: generate one and show it once)'

export function operatorsCommand(): Command {
  const group = new Command('operators')
    .description(`Create and disable those who operate the farm by its API ${needsFarm}.`)
    .exitOverride()
  change(group, 'create', 'Create an operator, who signs in by email and password.')
    .addOption(roleOption('viewer reads; operator changes fleet and jobs; admin also accounts'))
    .option('--password-stdin', passwordHelp)
    .action(async (email: string, options: RoleOptions) => {
      const { createOperator } = await import('../operators/operators.ts')
      await createOperator({ email, ...options })
    })
  group
    .command('list', { isDefault: true })
    .description('Show operators, with their roles and last use.')
    .option('--json', 'print JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { showOperators } = await import('../operators/operators.ts')
      await showOperators(options)
    })
  change(
    group,
    'disable',
    'Refuse an operator from now on, and end all sessions of theirs.',
  ).action(async (email: string, options: ActOptions) => {
    const { disableOperator } = await import('../operators/operators.ts')
    await disableOperator({ email, ...options })
  })
  change(group, 'role', 'Change the role of an operator, from the next request on.')
    .addOption(roleOption('new role'))
    .action(async (email: string, options: RoleOptions) => {
      const { changeRole } = await import('../operators/operators.ts')
      await changeRole({ email, ...options })
    })
  change(group, 'reset-password', 'Replace the password of an operator, and end all sessions.')
    .option('--password-stdin', passwordHelp)
    .action(async (email: string, options: Options) => {
      const { resetPassword } = await import('../operators/operators.ts')
      await resetPassword({ email, ...options })
    })
  group
    .command('sign-in')
    .description('Sign in at FARM_URL, so that commands for operators work by its API.')
    .argument('<email>', 'email address of the operator')
    .option('--password-stdin', 'read the password from standard input (default: ask for it)')
    .action(async (email: string, options: { passwordStdin?: boolean }) => {
      const { signInAtFarm } = await import('../operators/sign-in.ts')
      await signInAtFarm({ email, ...options })
    })
  group
    .command('sign-out')
    .description('Sign out of the farm at FARM_URL.')
    .action(async () => {
      const { signOutOfFarm } = await import('../operators/sign-in.ts')
      await signOutOfFarm()
    })
  return group
}

function change(group: Command, name: string, description: string): Command {
  return onRecord(group.command(name))
    .description(description)
    .argument('<email>', 'email address of the operator')
    .option('--json', 'print JSON, for programs')
}

function roleOption(meaning: string): Option {
  return new Option('--role <role>', meaning).choices([...operatorRoles]).makeOptionMandatory()
}
