import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readName, readUuid } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }

export function agentsCommand(): Command {
  const group = new Command('agents')
    .description(`List and disconnect agents of an account ${needsFarm}.`)
    .exitOverride()
  group
    .command('list')
    .description('Show the agents that users connected, with caps and last use.')
    .argument('<account>', 'id or name', readName)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, options: Json) => {
      const { showAgents } = await import('../accounts/agents.ts')
      await showAgents({ account, ...options })
    })
  onRecord(group.command('disconnect'))
    .description('Disconnect an agent; its next call is refused.')
    .argument('<account>', 'id or name', readName)
    .argument('<agent>', 'id of the connection', readUuid)
    .option('--json', 'print JSON, for programs')
    .action(async (account: string, agent: string, options: ActOptions) => {
      const { endAgent } = await import('../accounts/agents.ts')
      await endAgent({ account, agent, ...options })
    })
  return group
}
