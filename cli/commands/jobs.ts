import { Argument, Command, Option } from 'commander'
import { jobStates } from '../../core/jobs/jobs.ts'
import { type Priority, priorities } from '../../core/queue/shares.ts'
import type { ActOptions } from '../fleet/act.ts'
import type { JobsAsked } from '../fleet/jobs.ts'
import { readLines, readName, readTime, readUuid, readWords } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type Json = { readonly json?: boolean }

export function jobsCommand(): Command {
  const group = new Command('jobs')
    .description(`Show, hold, cancel and retry jobs of all accounts ${needsFarm}.`)
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description('Show jobs, the latest first.')
    .addOption(new Option('--state <state>', 'only jobs in this state').choices([...jobStates]))
    .option('--account <account>', 'only jobs of this account, by id or name', readName)
    .option('--name <text>', 'only jobs whose names contain this text', readName)
    .option('--node <node>', 'only jobs that this node worked on, by id or name', readName)
    .option('--code <code>', 'only jobs that failed with this error code', readName)
    .option(
      '--from <time>',
      'only jobs submitted at or after this time, like 2030-01-31T00:00:00Z',
      readTime,
    )
    .option('--to <time>', 'only jobs submitted before this time', readTime)
    .option('--limit <n>', 'lines', readLines, 20)
    .option('--page <n>', 'number of the page, from 1', readLines, 1)
    .option('--json', 'print JSON, for programs')
    .action(async (options: JobsAsked) => {
      const { showJobs } = await import('../fleet/jobs.ts')
      await showJobs(options)
    })
  group
    .command('show')
    .description('Show a job, every attempt at its tasks, and the errors of failed ones.')
    .argument('<job>', 'id', readUuid)
    .option('--payload', 'show the accepted request instead; needs --why and is on record')
    .option('--why <text>', 'reason for reading the request, for the audit log', readWords)
    .option('--by <name>', 'operator, as of farm jobs cancel', readWords)
    .option('--json', 'print JSON, for programs')
    .action(async (job: string, options: Partial<ActOptions> & { payload?: boolean }) => {
      const { showJob } = await import('../fleet/jobs.ts')
      await showJob({ job, ...options })
    })
  group
    .command('explain')
    .description('Explain why a job waits and when it should start, or where its time went.')
    .argument('<job>', 'id', readUuid)
    .option('--json', 'print JSON, for programs')
    .action(async (job: string, options: Json) => {
      const { explainJob } = await import('../fleet/jobs.ts')
      await explainJob({ job, ...options })
    })
  for (const [name, description] of [
    ['cancel', 'Cancel a job; its account pays for the frames painted so far.'],
    ['retry', 'Submit the request of a failed or cancelled job again.'],
    ['hold', 'Start nothing more of a job; its running tasks finish.'],
    ['pause', 'Hold a job and take its running tasks back.'],
    ['resume', 'Let a held or paused job go on.'],
  ] as const) {
    change(group, name, description).action(async (job: string, options: ActOptions) => {
      const { changeJob } = await import('../fleet/jobs.ts')
      await changeJob({ job, change: name, ...options })
    })
  }
  change(group, 'priority', 'Change the weight of a job within the share of its account.')
    .addArgument(new Argument('<priority>', 'new priority').choices([...priorities]))
    .action(async (job: string, priority: Priority, options: ActOptions) => {
      const { prioritiseJob } = await import('../fleet/jobs.ts')
      await prioritiseJob({ job, priority, ...options })
    })
  return group
}

function change(group: Command, name: string, description: string): Command {
  return onRecord(group.command(name))
    .description(description)
    .argument('<job>', 'id', readUuid)
    .option('--json', 'print JSON, for programs')
}
