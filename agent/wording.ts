import { FarmApiError, type RequestFault } from '../client/farm-client.ts'
import { nextStepAfter } from './next-steps.ts'
import { cutShort, shownPath } from './strangers-text.ts'

/** Sentences of tool results: faults, prices, refusals. */

const faultsMax = 20
/** Bytes: at most 3,500 tokens, of whatever text. */
const faultBytesMost = 4_500

/** Lists faults by path, the first twenty or as many as fit, and the number of the others. */
export function faultLines(faults: readonly Pick<RequestFault, 'field' | 'message'>[]): string[] {
  const lines = faults.map(({ field, message }) => {
    return `- ${field === '' ? 'the request' : shownPath(field)}: ${cutShort(message)}`
  })
  return fitting(lines, { bytesMost: faultBytesMost, linesMost: faultsMax })
}

/**
 * Returns as many lines as fit into a number of bytes, and the number of the others. Bytes, since a
 * token has several letters of Latin, but about one character of Chinese; of letters that are no
 * words, four bytes are three tokens.
 */
export function fitting(
  lines: readonly string[],
  { bytesMost, linesMost = Infinity }: { bytesMost: number; linesMost?: number },
): string[] {
  let used = 0
  const shown: string[] = []
  for (const line of lines) {
    used += Buffer.byteLength(line) + 1
    if (used > bytesMost || shown.length === linesMost) {
      return [...shown, `- and ${lines.length - shown.length} more`]
    }
    shown.push(line)
  }
  return shown
}

/** Lists warnings by path, under a heading. */
export function warningLines(
  warnings: readonly { readonly field: string; readonly message: string }[],
): string[] {
  return warnings.length === 0 ? [] : ['Warnings:', ...faultLines(warnings)]
}

type Refused = {
  /** Input of the tool that was refused. */
  readonly input?: object
  /** Step for the person when the connection's credential is refused. */
  readonly reconnect?: string | undefined
}

/** Says in one text what a call was refused for: code, fields, rules, values, the next step. */
export function errorText(error: unknown, { input, reconnect }: Refused = {}): string {
  if (!(error instanceof FarmApiError)) throw error
  const { code, detail, errors, itemErrors, retryAfter, problem } = error
  const items = itemErrors.flatMap(({ index, details }) =>
    details.map(({ field, message }) => ({ field: `items[${index}] ${field}`.trim(), message })),
  )
  const said = [...errors, ...items]
  const { creditsRequired, creditsAvailable } = problem
  const next =
    code === 'unauthorized' && reconnect !== undefined ? reconnect : nextStepAfter(error, input)
  const wait = retryAfter === null ? '' : ` Wait ${Math.ceil(retryAfter)} s.`
  return [
    `${code}: ${cutShort(detail)}`,
    ...(said.length > 1 || items.length > 0 ? faultLines(said) : []),
    ...(creditsRequired === undefined
      ? []
      : [`Credits: ${creditsRequired} required, ${creditsAvailable} available.`]),
    `${next}${wait}`,
  ].join('\n')
}

/** A number with its noun, like "1 fault" or "5 faults". */
export function counted(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? '' : 's'}`
}

/** Says how much of a cap is left, like "1 is left" or "5 are left". */
export function leftText(left: number): string {
  return `${left} ${left === 1 ? 'is' : 'are'} left`
}

/** Credits as words, like "4 credits" or "4 to 60 credits". */
export function priceText(credits: number, creditsMost: number): string {
  return credits === creditsMost
    ? counted(credits, 'credit')
    : `${credits} to ${counted(creditsMost, 'credit')}`
}
