import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
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
  return group
}
