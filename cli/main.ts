import { CommanderError } from 'commander'
import { FarmApiError } from '../client/farm-api-error.ts'
import { collectLessOften } from '../runtime/collector.ts'
import { describe, exitCodes, Failure, type FaultLine } from './failure.ts'
import { createProgram } from './program.ts'

/** Prints the error and returns the exit code. */
function report(error: unknown): number {
  // Commander has printed it already; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
  const known = error instanceof Error ? error : new Error(String(error))
  process.stderr.write(`${describe(known, faultsOf(error))}\n`)
  if (process.env.FARM_LOG_LEVEL === 'debug') process.stderr.write(`${known.stack}\n`)
  if (error instanceof Failure) return error.exitCode
  return known.name === 'EnvError' ? exitCodes.usage : exitCodes.failed
}

function faultsOf(error: unknown): readonly FaultLine[] {
  if (error instanceof FarmApiError) return error.errors
  return error instanceof Failure ? error.faults : []
}

collectLessOften({ isNode: process.argv[2] === 'worker' })
try {
  await createProgram().parseAsync()
} catch (error) {
  process.exit(report(error))
}
