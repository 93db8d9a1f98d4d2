import { FarmApiError, type RequestFault } from '../client/farm-client.ts'
import { cutShort, shownPath } from './strangers-text.ts'

/** Sentences of tool results: faults, prices, refusals. */

const faultsMax = 20

/** Lists faults by path, the first twenty and the number of the others. */
export function faultLines(faults: readonly Pick<RequestFault, 'field' | 'message'>[]): string[] {
  const shown = faults.slice(0, faultsMax).map(({ field, message }) => {
    return `- ${field === '' ? 'the request' : shownPath(field)}: ${cutShort(message)}`
  })
  const more = faults.length - shown.length
  return more > 0 ? [...shown, `- and ${more} more`] : shown
}

/** Returns as many lines as fit into a number of characters, and the number of the others. */
export function fitting(lines: readonly string[], charactersMost: number): readonly string[] {
  let used = 0
  const shown: string[] = []
  for (const line of lines) {
    used += line.length + 1
    if (used > charactersMost) return [...shown, `- and ${lines.length - shown.length} more`]
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

/** Next step for each code that an agent can do something about. */
const nextSteps: Readonly<Record<string, string>> = {
  invalid_request: 'Mend the fields named above; get_schema describes each part.',
  invalid_project: 'Mend the fields named above, or call repair_draft.',
  invalid_value: 'Mend the fields named above.',
  plan_limit: 'Stay within the limits that get_account lists.',
  insufficient_credits: 'Ask the person to add credits, or make the film shorter.',
  forbidden: 'Ask the person for a connection with a wider profile.',
  unauthorized: 'Ask the person to connect again.',
  not_found: 'List what exists and use an id from there.',
  quote_expired: 'Call quote_render again and show the new price.',
  quote_changed: 'Call quote_render again and show the new price.',
  conflict: 'Read the current state, then try again.',
  too_many_requests: 'Wait, then call again.',
  media_unreachable: 'Use an address that answers, or try again later.',
  unavailable: 'Nothing is lost; call again in a minute.',
  internal: 'Nothing is lost; call again in a minute.',
  unreachable: 'Check that FARM_URL is right and the farm runs; nothing was spent.',
  not_a_farm: 'Check that FARM_URL is the address of a farm.',
}

/** Says in one text what a call was refused for: code, fields, rules, values, the next step. */
export function errorText(error: unknown): string {
  if (!(error instanceof FarmApiError)) throw error
  const { code, detail, errors, itemErrors, retryAfter, problem } = error
  const items = itemErrors.flatMap(({ index, details }) =>
    details.map(({ field, message }) => ({ field: `items[${index}] ${field}`.trim(), message })),
  )
  const said = [...errors, ...items]
  const { creditsRequired, creditsAvailable } = problem
  const wait = retryAfter === null ? '' : ` Wait ${Math.ceil(retryAfter)} s.`
  return [
    `${code}: ${cutShort(detail)}`,
    ...(said.length > 1 || items.length > 0 ? faultLines(said) : []),
    ...(creditsRequired === undefined
      ? []
      : [`Credits: ${creditsRequired} required, ${creditsAvailable} available.`]),
    `${nextSteps[code] ?? 'Tell the person what the farm answered.'}${wait}`,
  ].join('\n')
}

/** Credits as words, like "4 credits" or "4 to 60 credits". */
export function priceText(credits: number, creditsMost: number): string {
  return credits === creditsMost ? `${credits} credits` : `${credits} to ${creditsMost} credits`
}
