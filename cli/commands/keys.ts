import { Command } from 'commander'
import { keyScopes } from '../../core/accounts/key-scopes.ts'
import type { ActOptions } from '../fleet/act.ts'
import { readCredits, readKeyStart, readName, readTimeToCome, readUuid } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }
type Limits = { readonly scopes?: string; readonly expires?: Date; readonly cap?: number }

export function keysCommand(): Command {
  const group = new Command('keys')
    .description(`Create, list and revoke API keys ${needsFarm}.`)
    .exitOverride()
  onRecord(group.command('create'))
    .description('Create an API key and show it once.')
    .argument('<account>', 'id or name', readName)
    .argument('<name>', 'name of the key', readName)
    .option('--scopes <list>', `scopes of the key, out of ${keyScopes.join(',')} (default: all)`)
    .option('--expires <time>', 'expiry time, like 2030-01-31T00:00:00Z', readTimeToCome)
    .option('--cap <credits>', 'total credits that jobs of the key may cost', readCredits)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, name: string, options: ActOptions & Limits) => {
      const { addKey } = await import('../accounts/keys.ts')
      await addKey({ account, name, ...options })
    })
  group
    .command('list')
    .description('Show the keys of an account that are not revoked.')
    .argument('<account>', 'id or name', readName)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, options: Json) => {
      const { showKeys } = await import('../accounts/keys.ts')
      await showKeys({ account, ...options })
    })
  group
    .command('find')
    .description('Find the account of a key, live or revoked, by its first characters.')
    .argument(
      '<start>',
      'svc_ and the first hex digits; the rest of the key is ignored',
      readKeyStart,
    )
    .option('--json', 'print JSON, for programs')
    .action(async (start: string, options: Json) => {
      const { findKeyOwners } = await import('../accounts/keys.ts')
      await findKeyOwners({ start, ...options })
    })
  onRecord(group.command('revoke'))
    .description('Revoke a key; the next request with it is refused.')
    .argument('<account>', 'id or name', readName)
    .argument('<key>', 'id of the key, not the key itself', readUuid)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, key: string, options: ActOptions) => {
      const { endKey } = await import('../accounts/keys.ts')
      await endKey({ account, key, ...options })
    })
  return group
}
