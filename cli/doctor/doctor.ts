import { styleText } from 'node:util'
import { exitCodes } from '../failure.ts'
import { examineCanvases } from './canvases.ts'
import { examineClock, examineDisk, examineObjects, examineScheduler } from './environment.ts'
import type { Finding } from './finding.ts'
import {
  examineChromium,
  examineCustomCode,
  examineFfmpeg,
  examineFonts,
  examineNode,
  examineSandbox,
  examineTemporal,
} from './machine.ts'
import { examinePostgres } from './postgres.ts'

const marks = {
  ok: styleText('green', '✓'),
  optional: styleText('yellow', '-'),
  missing: styleText('red', '✗'),
} as const satisfies Record<Finding['verdict'], string>

/**
 * `farm doctor`: prints the table, or its findings as JSON; exit code 1 when a required part is
 * missing.
 */
export async function examine({ json }: { readonly json?: boolean }): Promise<void> {
  const found = await Promise.all([
    examineNode(),
    examineFfmpeg(),
    examineChromium(),
    examineFonts(),
    examineSandbox(),
    examineCustomCode(),
    examineTemporal(),
    examinePostgres(),
    examineObjects(),
    examineScheduler(),
    examineDisk(),
    examineClock(),
  ])
  // Runs alone, because it measures the machine.
  const findings = [...found.flat(), ...(await examineCanvases())]
  console.log(json ? JSON.stringify(findings) : table(findings))
  process.exit(findings.some(({ verdict }) => verdict === 'missing') ? exitCodes.failed : 0)
}

/** Formats a line for each finding, with the advice below it. */
export function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length))
  return findings
    .map(({ name, verdict, facts, advice }) => {
      const line = `${marks[verdict]} ${name.padEnd(width)}  ${facts}`
      return advice === undefined ? line : `${line}\n${' '.repeat(width + 4)}→ ${advice}`
    })
    .join('\n')
}
