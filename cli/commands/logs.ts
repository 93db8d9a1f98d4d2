import { Command } from 'commander'
import { readLines, readUuid } from '../options.ts'

export function logsCommand(): Command {
  return new Command('logs')
    .description(
      "Show a task's log, or its times where it told nothing (needs DATABASE_URL, FARM_OBJECTS).",
    )
    .argument('<task>', 'its id, as farm jobs show tells it', readUuid)
    .option('--attempt <n>', 'which attempt (default: the latest)', readLines)
    .option('--json', 'answer as JSON, for programs')
    .action(async (task: string, options: { attempt?: number; json?: boolean }) => {
      const { showLog } = await import('../fleet/logs.ts')
      await showLog({ task, ...options })
    })
}
