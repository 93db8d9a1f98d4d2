import { Command } from 'commander'
import type { ExplainOptions } from '../explain/explain.ts'
import { readFrame, readVariable } from '../options.ts'

export function explainCommand(): Command {
  return new Command('explain')
    .description('Show what a project becomes: its timeline, frames and price; needs no farm.')
    .argument(
      '<file>',
      "a project or a render request as JSON; with --frame also a job's plan.json",
    )
    .option('--var <name=value>', 'set a variable; JSON when it parses, else text', readVariable)
    .option('--plan <name>', 'whose limits count (default: the largest)')
    .option('--json', 'answer as JSON, with the whole resolved project')
    .option(
      '--frame <n>',
      'print the draw commands of frame N (the first is 0), as JSON',
      readFrame,
    )
    .addHelpText(
      'after',
      `
With --frame, \`measured\` is true for a plan.json, which a job leaves in the object store. For a project
it is false: sizes of media and texts are stand-ins, and paths stand for their digests.`,
    )
    .action(async (file: string, options: Omit<ExplainOptions, 'file'>) => {
      const { explainFile } = await import('../explain/explain.ts')
      explainFile({ file, ...options })
    })
}
