import { Command, Option } from 'commander'
import { readLines, readUuid } from '../options.ts'

type Options = { attempt?: number; json?: boolean; follow?: boolean }

export function logsCommand(): Command {
  return new Command('logs')
    .description(
      'Show the log of a task, or its times when it has no log (needs DATABASE_URL and FARM_OBJECTS, or a sign-in at FARM_URL).',
    )
    .argument('<task>', 'id of the task, as in farm jobs show', readUuid)
    .option('--attempt <n>', 'number of the attempt (default: the latest)', readLines)
    .option('--follow', 'print new lines until the attempt ends')
    .addOption(new Option('--json', 'print JSON, for programs').conflicts('follow'))
    .action(async (task: string, { follow, ...options }: Options) => {
      const { followLog, showLog } = await import('../fleet/logs.ts')
      if (follow) await followLog({ task, ...options })
      else await showLog({ task, ...options })
    })
}
