import { Command } from 'commander'
import { usage } from '../failure.ts'
import { readWords } from '../options.ts'

type FsckOptions = {
  readonly repair?: boolean
  readonly restored?: boolean
  readonly why?: string
  readonly by?: string
  readonly json?: boolean
}

export function fsckCommand(): Command {
  return new Command('fsck')
    .description(
      'Compare rows, objects and ledger after a restore (needs DATABASE_URL and FARM_OBJECTS). It changes nothing without --repair.',
    )
    .option('--repair', 'forget artifacts without their object, and remove objects without a row')
    .option(
      '--restored',
      'begin open jobs again that miss an object; for --repair after a restore with an empty Temporal',
    )
    .option('--why <text>', 'reason, for the audit log; needed for --repair', readWords)
    .option(
      '--by <name>',
      'operator, for the audit log (default: FARM_OPERATOR, or the user of this machine)',
      readWords,
    )
    .option('--json', 'print JSON, for programs')
    .action(async ({ repair = false, restored = false, ...options }: FsckOptions) => {
      if (repair && options.why === undefined) {
        throw usage('--repair must come with --why, the reason for the audit log.')
      }
      if (restored && !repair) throw usage('--restored must come with --repair.')
      const { fsck } = await import('../fleet/fsck.ts')
      await fsck({ repair, restored, ...options })
    })
}
