import { plans } from '../../core/accounts/plans.ts'
import { type Price, priceAtSubmission } from '../../core/jobs/pricing.ts'
import type { FaultLine } from '../failure.ts'
import {
  inFile,
  inOrder,
  printJson,
  type ValidateOptions,
  validateProjectFile,
} from './validate-file.ts'

/**
 * `farm validate`: prints the price and the warnings of a valid file, or every fault.
 * @throws Failure
 */
export function validateFile(options: ValidateOptions): void {
  const validated = validateProjectFile(options)
  const { project, warnings } = inOrder(validated, options)
  const price = priceAtSubmission(project, plans[validated.plan])
  const { credits, creditsMost, seconds, exact } = price
  if (options.json) {
    const placed = warnings.map((warning) => inFile(warning, validated.body))
    const cost = { creditsRequired: credits, creditsMost, seconds: shownSeconds(seconds), exact }
    printJson({ valid: true, ...cost, warnings: placed })
    return
  }
  const still = project.type === 'image'
  const length = still
    ? 'a still'
    : `${exact ? '' : 'at least '}${shownSeconds(seconds)} s at ${project.frameRate} fps`
  const facts = [
    length,
    `${project.width}x${project.height}`,
    project.outputFormat,
    priceText(price),
  ]
  const lines = [`ok: ${options.file}`, `  ${facts.join(', ')}`, ...warningLines(warnings)]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function priceText({ credits, creditsMost, exact }: Price): string {
  return exact ? creditText(credits) : `${credits} to ${creditText(creditsMost)}`
}

export function creditText(credits: number): string {
  return credits === 1 ? '1 credit' : `${credits} credits`
}

/** Rounds off the error of adding decimals. */
function shownSeconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

/** One line for each, below one that counts them. */
export function warningLines(warnings: readonly FaultLine[]): string[] {
  if (warnings.length === 0) return []
  const count = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`
  return [
    `  ${count}:`,
    ...warnings.map(({ field, message }) => `    ${field === '' ? '' : `${field}: `}${message}`),
  ]
}
