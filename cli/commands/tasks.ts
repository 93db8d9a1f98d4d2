import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readLines, readUuid } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

export function tasksCommand(): Command {
  const group = new Command('tasks')
    .description(`Retry single tasks and end attempts ${needsFarm}.`)
    .exitOverride()
  onRecord(group.command('retry'))
    .description('Let a queued task begin now, whatever delay or failures it has behind it.')
    .argument('<task>', 'id, as farm jobs show lists it', readUuid)
    .option('--json', 'print JSON, for programs')
    .action(async (task: string, options: ActOptions) => {
      const { retryTask } = await import('../fleet/tasks.ts')
      await retryTask({ task, ...options })
    })
  onRecord(group.command('end'))
    .description('End a running attempt; its task returns to the queue without a failure.')
    .argument('<task>', 'id, as farm jobs show lists it', readUuid)
    .argument('<attempt>', 'number of the attempt', readLines)
    .option('--json', 'print JSON, for programs')
    .action(async (task: string, attempt: number, options: ActOptions) => {
      const { endAttempt } = await import('../fleet/tasks.ts')
      await endAttempt({ task, attempt, ...options })
    })
  return group
}
