import { plans } from '../../core/plans.ts'
import { priceAtSubmission } from '../../core/pricing.ts'
import type { FaultLine } from '../failure.ts'
import { inOrder, type JudgeOptions, judgeFile, printJson } from './judge-file.ts'

/**
 * `farm validate`: ok with what rendering would cost and what is probably not meant, or every fault.
 * @throws Failure
 */
export function validateFile(options: JudgeOptions): void {
  const judged = judgeFile(options)
  const { project, warnings } = inOrder(judged, options)
  const { credits, seconds, exact } = priceAtSubmission(project, plans[judged.plan])
  if (options.json) {
    printJson({ valid: true, creditsRequired: credits, seconds, exact, warnings })
    return
  }
  const still = project.type === 'image'
  const length = still
    ? 'a still'
    : `${exact ? '' : 'up to '}${seconds} s at ${project.frameRate} fps`
  const facts = [
    length,
    `${project.width}x${project.height}`,
    project.outputFormat,
    creditText(credits),
  ]
  const lines = [`ok: ${options.file}`, `  ${facts.join(', ')}`, ...warningLines(warnings)]
  process.stdout.write(`${lines.join('\n')}\n`)
}

export function creditText(credits: number): string {
  return credits === 1 ? '1 credit' : `${credits} credits`
}

/** One line for each, below one that counts them. */
export function warningLines(warnings: readonly FaultLine[]): string[] {
  if (warnings.length === 0) return []
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`
  return [`  ${count}:`, ...warnings.map(({ field, message }) => `    ${field}: ${message}`)]
}
