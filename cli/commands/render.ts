import { Command } from 'commander'
import { readCount, readVariable } from '../options.ts'
import type { RenderOptions } from '../render/render.ts'

export function renderCommand(): Command {
  return new Command('render')
    .description('Render one project to a file.')
    .argument('<file>', 'project, or render request {payload, variables, overrides}, as JSON')
    .option('-o, --output <path>', 'output file (default: the name of FILE, in this folder)')
    .option('--var <name=value>', 'set a variable; JSON when it parses, else text', readVariable)
    .option('--workers <n>', 'worker processes of the farm that it starts', readCount, 1)
    .option('--data <dir>', 'data folder of that farm (default: .farm/render in the checkout)')
    .option('--watch', 'open a page that plays the film while it renders')
    .addHelpText(
      'after',
      '\nUses the farm at FARM_URL with FARM_API_KEY when both are set. Otherwise starts a farm of its own.',
    )
    .action(async (file: string, options: Omit<RenderOptions, 'file'>) => {
      const { renderFile } = await import('../render/render.ts')
      await renderFile({ file, ...options })
    })
}
