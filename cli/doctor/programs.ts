import { runProgram } from '../../worker/process/programs.ts'

export const commandTimeoutMs = 15_000
export const setUp = 'run `npm run setup`'

/** Returns the first line of a program's output, or its failure. */
export async function firstLine(
  command: string,
  ...args: string[]
): Promise<{ works: boolean; line: string }> {
  const ended = await runProgram({ argv: [command], args, timeoutMs: commandTimeoutMs })
  const [line = ''] = (ended.stdout.trim() || ended.stderrTail.trim()).split('\n')
  const works = ended.exitCode === 0
  return { works, line: works ? line : line || `it ends with exit code ${ended.exitCode}` }
}

export function firstLineOf(error: unknown): string {
  const text = error instanceof Error ? error.message || String(error) : String(error)
  return text.split('\n')[0] ?? ''
}
