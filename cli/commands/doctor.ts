import { Command } from 'commander'

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Say what this machine has, and what to do about what is missing.')
    .option('--json', 'answer as JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { examine } = await import('../doctor/doctor.ts')
      await examine(options)
    })
}
