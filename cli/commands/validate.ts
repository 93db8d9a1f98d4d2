import { Command } from 'commander'
import { readVariable } from '../options.ts'
import type { ValidateOptions } from '../render/validate-file.ts'

export function validateCommand(): Command {
  return new Command('validate')
    .description('Check a project without rendering it; needs no farm.')
    .argument('<file>', 'project or render request, as JSON')
    .option('--var <name=value>', 'set a variable; JSON when it parses, else text', readVariable)
    .option('--plan <name>', 'plan whose limits apply (default: the largest)')
    .option('--json', 'print JSON, for programs')
    .action(async (file: string, options: Omit<ValidateOptions, 'file'>) => {
      const { validateFile } = await import('../render/validate.ts')
      validateFile({ file, ...options })
    })
}
