import { Command } from 'commander'

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check this machine, and say how to get missing parts.')
    .option('--json', 'print JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { examine } = await import('../doctor/doctor.ts')
      await examine(options)
    })
}
