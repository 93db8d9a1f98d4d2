import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readDuration, readName, readUses, readUuid } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }

const changes = {
  cordon: 'Give a node no new tasks; its running tasks continue.',
  uncordon: 'Let a cordoned or draining node take tasks again.',
  drain: 'Cordon a node, and take back tasks that still run after a minute.',
  release: 'Let a quarantined node take tasks without a canary.',
} as const

export function nodesCommand(): Command {
  const group = new Command('nodes')
    .description(`Show the nodes of the fleet, and stop or release them ${needsFarm}.`)
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description('Show the nodes that were seen in the last day.')
    .option('--json', 'print JSON, for programs')
    .action(async (options: Json) => {
      const { showNodes } = await import('../fleet/nodes.ts')
      await showNodes(options)
    })
  group
    .command('show')
    .description('Show one node and its latest attempts.')
    .argument('<node>', 'id or name')
    .option('--json', 'print JSON, for programs')
    .action(async (node: string, options: Json) => {
      const { showNode } = await import('../fleet/nodes.ts')
      await showNode({ node, ...options })
    })
  for (const name of ['cordon', 'uncordon', 'drain', 'release'] as const) {
    onRecord(group.command(name))
      .description(changes[name])
      .argument('<node>', 'id or name')
      .option('--json', 'print JSON, for programs')
      .action(async (node: string, options: ActOptions) => {
        const { changeNode } = await import('../fleet/nodes.ts')
        await changeNode(name, { node, ...options })
      })
  }
  addInvitations(group)
  return group
}

function addInvitations(group: Command): void {
  onRecord(group.command('invite'))
    .description('Make a token by which machines join a pool by themselves.')
    .argument('<pool>', 'pool of the machines', readName)
    .option('--uses <n>', 'machines that may use it', readUses, 1)
    .option('--for <time>', 'time for which it is good, as 30m, 1h or 2d', readDuration, 3_600)
    .option('--json', 'print JSON, for programs')
    .action(async (pool: string, options: ActOptions & { uses: number; for: number }) => {
      const { invite } = await import('../fleet/invitations.ts')
      const { for: seconds, ...rest } = options
      await invite({ pool, seconds, ...rest })
    })
  group
    .command('invitations')
    .description('Show the invitations of the last week.')
    .option('--json', 'print JSON, for programs')
    .action(async (options: Json) => {
      const { showInvitations } = await import('../fleet/invitations.ts')
      await showInvitations(options)
    })
  onRecord(group.command('uninvite'))
    .description('End an invitation; machines that used it stay.')
    .argument('<id>', 'id of the invitation', readUuid)
    .option('--json', 'print JSON, for programs')
    .action(async (id: string, options: ActOptions) => {
      const { uninvite } = await import('../fleet/invitations.ts')
      await uninvite({ id, ...options })
    })
}
