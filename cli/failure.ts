/** Exit codes of the command line: 0 done, 1 failed, 2 wrong usage, 130 interrupted by Ctrl-C. */
export const exitCodes = { failed: 1, usage: 2, interrupted: 130 } as const

/**
 * A failure that the user reads as one sentence, with a list below it when there are many faults.
 */
export class Failure extends Error {
  readonly exitCode: number
  readonly faults: readonly FaultLine[]

  constructor(
    message: string,
    {
      exitCode = exitCodes.failed,
      faults = [],
      cause,
    }: { exitCode?: number; faults?: readonly FaultLine[]; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = 'Failure'
    this.exitCode = exitCode
    this.faults = faults
  }
}

/** `field` is '' for the whole file. */
export type FaultLine = { readonly field: string; readonly message: string }

export function usage(message: string): Failure {
  return new Failure(message, { exitCode: exitCodes.usage })
}

/** Formats the error for output: its sentence, then a line for each fault. */
export function describe(error: Error, faults: readonly FaultLine[]): string {
  const lines = faults.map(({ field, message }) => `  ${field || '(file)'}: ${message}`)
  return [`farm: ${error.message}`, ...lines].join('\n')
}
