import { Command } from 'commander'

export function controlCommand(): Command {
  return new Command('control')
    .description(
      'Serve api, scheduler and workflows in one process (needs what each of them does).',
    )
    .action(async () => {
      const { startControl } = await import('../farm/control.ts')
      await startControl(process.env)
    })
}
