import { Command } from 'commander'
import { type LateSettings, roleSettings, takesLateSettings } from '../farm/late-settings.ts'

type WorkflowsOptions = LateSettings & {
  readonly bundle?: string
  readonly builds?: boolean
  readonly json?: boolean
}

export function workflowsCommand(): Command {
  return takesLateSettings(new Command('workflows'))
    .description('Drive the jobs with Temporal (needs DATABASE_URL, TEMPORAL_ADDRESS).')
    .option('--bundle <file>', 'write the bundle of workflows for FARM_WORKFLOW_BUNDLE, then exit')
    .option(
      '--builds',
      'list the builds that Temporal knows (FARM_WORKFLOW_BUILDS=pinned), then exit',
    )
    .option('--json', 'print the builds as JSON, for programs')
    .action(async ({ bundle, builds = false, json = false, ...late }: WorkflowsOptions) => {
      if (builds) {
        const { showBuilds } = await import('../farm/show-builds.ts')
        await showBuilds({ json })
        return
      }
      if (bundle !== undefined) {
        const { writeBundle } = await import('../../workflows/bundle.ts')
        const { createLog } = await import('../../runtime/log.ts')
        await writeBundle(bundle, createLog('workflows'))
        console.log(`wrote ${bundle}`)
        return
      }
      const { startWorkflows } = await import('../../workflows/main.ts')
      await startWorkflows(await roleSettings(late))
    })
}
