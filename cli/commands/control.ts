import { Command } from 'commander'
import { type LateSettings, roleSettings, takesLateSettings } from '../farm/late-settings.ts'

export function controlCommand(): Command {
  return takesLateSettings(new Command('control'))
    .description(
      'Serve api, scheduler and workflows in one process (needs the settings of all three).',
    )
    .action(async (options: LateSettings) => {
      const { startControl } = await import('../farm/control.ts')
      await startControl(await roleSettings(options))
    })
}
