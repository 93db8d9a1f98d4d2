import { Command } from 'commander'
import type { ExplainOptions } from '../explain/explain.ts'
import { readFrame, readVariable } from '../options.ts'

export function explainCommand(): Command {
  return new Command('explain')
    .description('Show the timeline, frames and price of a project; needs no farm.')
    .argument(
      '<file>',
      'project or render request, as JSON; with --frame also the plan.json of a job',
    )
    .option('--var <name=value>', 'set a variable; JSON when it parses, else text', readVariable)
    .option('--plan <name>', 'plan whose limits apply (default: the largest)')
    .option('--json', 'print JSON with the whole resolved project')
    .option(
      '--frame <n>',
      'print the draw commands of frame N (the first is 0), as JSON',
      readFrame,
    )
    .addHelpText(
      'after',
      `
A job leaves its plan.json in the object store; --frame prints \`measured\` as true for it. For a project
\`measured\` is false: sizes of media and texts are stand-ins, and paths stand for their digests.`,
    )
    .action(async (file: string, options: Omit<ExplainOptions, 'file'>) => {
      const { explainFile } = await import('../explain/explain.ts')
      explainFile({ file, ...options })
    })
}
