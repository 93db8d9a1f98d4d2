import { Command } from 'commander'
import { readLines, readUuid } from '../options.ts'

export function logsCommand(): Command {
  return new Command('logs')
    .description(
      'Show the log of a task, or its times when it has no log (needs DATABASE_URL and FARM_OBJECTS, or a sign-in at FARM_URL).',
    )
    .argument('<task>', 'id of the task, as in farm jobs show', readUuid)
    .option('--attempt <n>', 'number of the attempt (default: the latest)', readLines)
    .option('--json', 'print JSON, for programs')
    .action(async (task: string, options: { attempt?: number; json?: boolean }) => {
      const { showLog } = await import('../fleet/logs.ts')
      await showLog({ task, ...options })
    })
}
