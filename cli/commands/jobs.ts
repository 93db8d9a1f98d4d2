import { Argument, Command, Option } from 'commander'
import { jobStates } from '../../core/jobs.ts'
import { type Priority, priorities } from '../../core/shares.ts'
import type { ActOptions } from '../fleet/act.ts'
import { readLines, readUuid } from '../options.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }

export function jobsCommand(): Command {
  const group = new Command('jobs')
    .description('Jobs of all accounts (needs DATABASE_URL).')
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description('Show jobs, the latest first.')
    .addOption(new Option('--state <state>', 'only those in it').choices([...jobStates]))
    .option('--limit <n>', 'lines', readLines, 20)
    .option('--json', 'answer as JSON, for programs')
    .action(async (options: Json & { state?: string; limit: number }) => {
      const { showJobs } = await import('../fleet/jobs.ts')
      await showJobs(options)
    })
  for (const [name, description] of [
    ['show', 'Show a job, every attempt at its tasks, and why any failed.'],
    ['explain', 'Say what a job waits for and when it should start.'],
  ] as const) {
    group
      .command(name)
      .description(description)
      .argument('<job>', 'its id', readUuid)
      .option('--json', 'answer as JSON, for programs')
      .action(async (job: string, options: Json) => {
        const { explainJob, showJob } = await import('../fleet/jobs.ts')
        await { show: showJob, explain: explainJob }[name]({ job, ...options })
      })
  }
  for (const [name, description] of [
    ['cancel', 'End a job; its account pays for what was painted.'],
    ['retry', 'Submit what a failed or cancelled job asked for once more.'],
  ] as const) {
    change(group, name, description).action(async (job: string, options: ActOptions) => {
      const { repeatJob, stopJob } = await import('../fleet/jobs.ts')
      await { cancel: stopJob, retry: repeatJob }[name]({ job, ...options })
    })
  }
  change(group, 'priority', "Change the weight of a job in its account's share.")
    .addArgument(new Argument('<priority>', 'which').choices([...priorities]))
    .action(async (job: string, priority: Priority, options: ActOptions) => {
      const { prioritiseJob } = await import('../fleet/jobs.ts')
      await prioritiseJob({ job, priority, ...options })
    })
  return group
}

function change(group: Command, name: string, description: string): Command {
  return onRecord(group.command(name))
    .description(description)
    .argument('<job>', 'its id', readUuid)
    .option('--json', 'answer as JSON, for programs')
}
