import { Command } from 'commander'
import { readLines } from '../options.ts'

export function auditCommand(): Command {
  return new Command('audit')
    .description(
      'Show who did what to which thing, and why, the latest first (needs DATABASE_URL).',
    )
    .argument('[subject]', 'an id (of a node, account, job) or a name; default: everything')
    .option('--limit <n>', 'lines', readLines, 20)
    .option('--json', 'answer as JSON, for programs')
    .action(async (subject: string | undefined, options: { json?: boolean; limit: number }) => {
      const { showActs } = await import('../fleet/audit.ts')
      await showActs({ ...options, ...(subject !== undefined && { subject }) })
    })
}
