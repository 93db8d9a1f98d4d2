import { Command } from 'commander'
import { readVariable } from '../options.ts'
import type { JudgeOptions } from '../render/judge-file.ts'

export function explainCommand(): Command {
  return new Command('explain')
    .description('Show what a project becomes: its timeline, frames and price; needs no farm.')
    .argument('<file>', 'a project or a render request as JSON')
    .option('--var <name=value>', 'set a variable; JSON when it parses, else text', readVariable)
    .option('--plan <name>', 'whose limits count (default: the largest)')
    .option('--json', 'answer as JSON, with the whole resolved project')
    .action(async (file: string, options: Omit<JudgeOptions, 'file'>) => {
      const { explainFile } = await import('../explain/explain.ts')
      explainFile({ file, ...options })
    })
}
