import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }

const changes = {
  cordon: 'Give a node no new work; what it has goes on.',
  uncordon: 'Let a cordoned or draining node take work again.',
  drain: 'As cordon, and take back what still runs after a minute.',
  release: 'Let a quarantined node take work without a canary.',
} as const

export function nodesCommand(): Command {
  const group = new Command('nodes')
    .description('The nodes of the fleet (needs DATABASE_URL).')
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description('Show the nodes that were there in the last day.')
    .option('--json', 'answer as JSON, for programs')
    .action(async (options: Json) => {
      const { showNodes } = await import('../fleet/nodes.ts')
      await showNodes(options)
    })
  group
    .command('show')
    .description('Show one node and what it did last.')
    .argument('<node>', 'its id or name')
    .option('--json', 'answer as JSON, for programs')
    .action(async (node: string, options: Json) => {
      const { showNode } = await import('../fleet/nodes.ts')
      await showNode({ node, ...options })
    })
  for (const name of ['cordon', 'uncordon', 'drain', 'release'] as const) {
    onRecord(group.command(name))
      .description(changes[name])
      .argument('<node>', 'its id or name')
      .option('--json', 'answer as JSON, for programs')
      .action(async (node: string, options: ActOptions) => {
        const { changeNode } = await import('../fleet/nodes.ts')
        await changeNode(name, { node, ...options })
      })
  }
  return group
}
