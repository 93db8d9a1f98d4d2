import { Command } from 'commander'

export function workflowsCommand(): Command {
  return new Command('workflows')
    .description('Drive the jobs with Temporal (needs DATABASE_URL, TEMPORAL_ADDRESS).')
    .option('--bundle <file>', 'write the bundle of workflows for FARM_WORKFLOW_BUNDLE, then exit')
    .action(async ({ bundle }: { bundle?: string }) => {
      if (bundle !== undefined) {
        const { writeBundle } = await import('../../workflows/bundle.ts')
        const { createLog } = await import('../../runtime/log.ts')
        await writeBundle(bundle, createLog('workflows'))
        console.log(`wrote ${bundle}`)
        return
      }
      const { startWorkflows } = await import('../../workflows/main.ts')
      await startWorkflows(process.env)
    })
}
