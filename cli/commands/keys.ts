import { Command } from 'commander'
import { keyScopes } from '../../core/accounts/key-scopes.ts'
import type { ActOptions } from '../fleet/act.ts'
import { readCredits, readKeyStart, readName, readTimeToCome, readUuid } from '../options.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }
type Limits = { readonly scopes?: string; readonly expires?: Date; readonly cap?: number }

export function keysCommand(): Command {
  const group = new Command('keys')
    .description('Create, list and revoke API keys (needs DATABASE_URL).')
    .exitOverride()
  onRecord(group.command('create'))
    .description('Make an API key and show it, this once.')
    .argument('<account>', 'its id or name', readName)
    .argument('<name>', 'what it is for', readName)
    .option('--scopes <list>', `what it may do, out of ${keyScopes.join(',')} (default: all)`)
    .option('--expires <time>', 'when it ends, like 2030-01-31T00:00:00Z', readTimeToCome)
    .option('--cap <credits>', 'what its jobs may cost in all', readCredits)
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, name: string, options: ActOptions & Limits) => {
      const { addKey } = await import('../accounts/keys.ts')
      await addKey({ account, name, ...options })
    })
  group
    .command('list')
    .description('Show the keys of an account that were not revoked.')
    .argument('<account>', 'its id or name', readName)
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, options: Json) => {
      const { showKeys } = await import('../accounts/keys.ts')
      await showKeys({ account, ...options })
    })
  group
    .command('find')
    .description('Say whose a key is, revoked ones too, by how it begins.')
    .argument(
      '<start>',
      'svc_ and the first hex digits; more of the key is not looked at',
      readKeyStart,
    )
    .option('--json', 'answer as JSON, for programs')
    .action(async (start: string, options: Json) => {
      const { findKeyOwners } = await import('../accounts/keys.ts')
      await findKeyOwners({ start, ...options })
    })
  onRecord(group.command('revoke'))
    .description('End a key; the next request with it is refused.')
    .argument('<account>', 'its id or name', readName)
    .argument('<key>', "the key's id, not the key", readUuid)
    .option('--json', 'answer as JSON, for programs')
    .action(async (account: string, key: string, options: ActOptions) => {
      const { endKey } = await import('../accounts/keys.ts')
      await endKey({ account, key, ...options })
    })
  return group
}
