import { Command } from 'commander'

export function workflowsCommand(): Command {
  return new Command('workflows')
    .description('Drive the jobs with Temporal (needs DATABASE_URL, TEMPORAL_ADDRESS).')
    .action(async () => {
      const { startWorkflows } = await import('../../workflows/main.ts')
      await startWorkflows(process.env)
    })
}
