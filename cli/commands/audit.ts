import { Command } from 'commander'
import { readLines } from '../options.ts'
import { needsFarm } from './needs-farm.ts'

export function auditCommand(): Command {
  return new Command('audit')
    .description(`Show acts of operators with their reasons, the latest first ${needsFarm}.`)
    .argument('[subject]', 'id of a node, account or job, or a name (default: everything)')
    .option('--limit <n>', 'lines', readLines, 20)
    .option('--json', 'print JSON, for programs')
    .action(async (subject: string | undefined, options: { json?: boolean; limit: number }) => {
      const { showActs } = await import('../fleet/audit.ts')
      await showActs({ ...options, ...(subject !== undefined && { subject }) })
    })
}
