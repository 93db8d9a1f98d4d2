import type { Command } from 'commander'
import { readWords } from '../options.ts'

/** Adds the options that every changing command requires (cli/fleet/act.ts). */
export function onRecord(command: Command): Command {
  return command
    .requiredOption('--why <text>', 'reason, for the audit log', readWords)
    .option(
      '--by <name>',
      'operator, for the audit log (default: FARM_OPERATOR, or the user of this machine)',
      readWords,
    )
}
