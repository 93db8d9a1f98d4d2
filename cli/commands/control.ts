import { Command } from 'commander'

export function controlCommand(): Command {
  return new Command('control')
    .description(
      'Serve api, scheduler and workflows in one process (needs the settings of all three).',
    )
    .action(async () => {
      const { startControl } = await import('../farm/control.ts')
      await startControl(process.env)
    })
}
