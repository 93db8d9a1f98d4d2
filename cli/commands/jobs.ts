import { Argument, Command, Option } from 'commander'
import { jobStates } from '../../core/jobs/jobs.ts'
import { type Priority, priorities } from '../../core/queue/shares.ts'
import type { ActOptions } from '../fleet/act.ts'
import type { JobsAsked } from '../fleet/jobs.ts'
import { readLines, readName, readTime, readUuid } from '../options.ts'
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
    .option('--account <account>', 'only those of it, by id or name', readName)
    .option('--name <text>', 'only those with the text in their names', readName)
    .option('--node <node>', 'only those that it worked at, by id or name', readName)
    .option('--code <code>', 'only those that failed with this error code', readName)
    .option('--from <time>', 'only those submitted since, like 2030-01-31T00:00:00Z', readTime)
    .option('--to <time>', 'only those submitted before', readTime)
    .option('--limit <n>', 'lines', readLines, 20)
    .option('--page <n>', 'from 1', readLines, 1)
    .option('--json', 'answer as JSON, for programs')
    .action(async (options: JobsAsked) => {
      const { showJobs } = await import('../fleet/jobs.ts')
      await showJobs(options)
    })
  group
    .command('show')
    .description('Show a job, every attempt at its tasks, and why any failed.')
    .argument('<job>', 'its id', readUuid)
    .option('--payload', 'the request instead, as it was accepted')
    .option('--json', 'answer as JSON, for programs')
    .action(async (job: string, options: Json & { payload?: boolean }) => {
      const { showJob } = await import('../fleet/jobs.ts')
      await showJob({ job, ...options })
    })
  group
    .command('explain')
    .description('Say what a job waits for and when it should start, or how it ended.')
    .argument('<job>', 'its id', readUuid)
    .option('--json', 'answer as JSON, for programs')
    .action(async (job: string, options: Json) => {
      const { explainJob } = await import('../fleet/jobs.ts')
      await explainJob({ job, ...options })
    })
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
