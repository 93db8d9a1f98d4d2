import { Command } from 'commander'

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Say what this machine has, and what to do about what is missing.')
    .action(async () => {
      const { examine } = await import('../doctor/doctor.ts')
      await examine()
    })
}
