import { Command } from 'commander'

export function uploadCommand(): Command {
  return new Command('upload')
    .description('Upload photographs, clips and sounds, for a src of any project.')
    .argument('<files...>', 'files of this machine; what they are follows from their content')
    .option('--json', 'print JSON, for programs')
    .addHelpText(
      'after',
      '\nUses the farm at FARM_URL with FARM_API_KEY, and prints an address a line.',
    )
    .action(async (files: readonly string[], options: { readonly json?: boolean }) => {
      const { uploadFiles } = await import('../upload/upload-files.ts')
      await uploadFiles(files, options)
    })
}
