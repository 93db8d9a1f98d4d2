import { Command } from 'commander'
import { readCount, readFrameWidth, readTimes, readVariable } from '../options.ts'
import type { PreviewFileOptions } from '../render/preview.ts'

export function previewCommand(): Command {
  return new Command('preview')
    .description(
      'Show moments of a film on one small picture, before it is rendered. Costs nothing.',
    )
    .argument('<file>', 'project, or render request {payload, variables, overrides}, as JSON')
    .option('-o, --output <path>', 'output file, .jpg (default: the name of FILE, in this folder)')
    .option('--var <name=value>', 'set a variable; JSON when it parses, else text', readVariable)
    .option(
      '--times <seconds>',
      'moments, like 0.5,2,7 (default: six where most is seen)',
      readTimes,
    )
    .option('--width <px>', 'width of a frame, 64 to 480; at most half of the film', readFrameWidth)
    .option('--refresh', 'ask the origins of the media again')
    .option('--workers <n>', 'worker processes of the farm that it starts', readCount, 1)
    .option('--data <dir>', 'data folder of that farm (default: .farm/render in the checkout)')
    .addHelpText(
      'after',
      '\nUses the farm at FARM_URL with FARM_API_KEY when both are set. Otherwise starts a farm of its own.',
    )
    .action(async (file: string, options: Omit<PreviewFileOptions, 'file'>) => {
      const { previewFile } = await import('../render/preview.ts')
      await previewFile({ file, ...options })
    })
}
