import type { Command } from 'commander'
import { readWords } from '../options.ts'

/** Adds the options that every changing command requires (cli/fleet/act.ts). */
export function onRecord(command: Command): Command {
  return command
    .requiredOption('--why <text>', 'kept with who did it', readWords)
    .option(
      '--by <name>',
      'who does it (default: FARM_OPERATOR, or the user of this machine)',
      readWords,
    )
}
