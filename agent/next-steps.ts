import type { FarmApiError } from '../client/farm-client.ts'

/** Steps after a refusal, by its code, the cap that refused, or the input that names no known thing. */

const quoteAgain = 'Call quote_render again, or quote_bulk for a bulk, and show the new price.'

const byCode: Readonly<Record<string, string>> = {
  invalid_request: 'Mend the fields named above.',
  invalid_project: 'Mend the fields named above, or call repair_draft.',
  invalid_value: 'Mend the fields named above.',
  plan_limit: 'Stay within the limits that get_account lists.',
  insufficient_credits: 'Ask the person to add credits, or make the film shorter.',
  forbidden: 'Ask the person for a connection with a wider profile.',
  unauthorized: 'Ask the person to connect again.',
  not_found: 'List what exists and use an id from there.',
  quote_expired: quoteAgain,
  quote_changed: quoteAgain,
  conflict: 'Read the current state, then try again.',
  too_many_requests: 'Wait, then call again.',
  media_unreachable: 'Use an address that answers, or try again later.',
  body_too_large:
    'Send less: media as https addresses, and a project in parts with save_draft and edit_draft.',
  unavailable: 'Nothing is lost; call again in a minute.',
  internal: 'Nothing is lost; call again in a minute.',
  unreachable: 'Check that FARM_URL is right and the farm runs; nothing was spent.',
  not_a_farm: 'Check that FARM_URL is the address of a farm.',
}

const farther =
  'A user of the account changes it under /api/agent-connections, and chooses it when they connect: ask the person, or make the film shorter.'

/** Next steps by the cap that a refusal names as its field. */
const byCap: Readonly<Record<string, string>> = {
  renderCap: `The cap for one render is this connection's, not the account's. ${farther}`,
  totalCap: `The spending cap is this connection's, not the account's. ${farther}`,
  bulkCap:
    "The cap for items is this connection's, not the plan's: send several bulks, or ask the person to raise it under /api/agent-connections.",
  creditCap:
    "The cap is the API key's, not the account's: ask the person for a key with a higher cap, or make the film shorter.",
  budget:
    'Credits do not help: ask the person to write to the operators of the farm, or wait until that day.',
}

/** Next steps by the input that carries an id. */
const byInput: Readonly<Record<string, string>> = {
  quote: 'Quote ids look like qt_… and come from quote_render or quote_bulk: ask for a new quote.',
  draft: 'Draft ids look like prj_… and come from save_draft: save the project again.',
  template: 'Template ids look like tpl_… and come from list_templates.',
  bulk: 'Bulk ids look like blk_… and come from render_bulk.',
  webhook: 'Webhook ids come from list_webhooks and create_webhook.',
  deliveriesOf: 'Webhook ids come from list_webhooks and create_webhook.',
  delivery: 'Delivery ids come from test_webhook and list_webhooks {deliveriesOf}.',
  id: 'Render ids are UUIDs and come from render or list_renders.',
  from: 'Begin from a slug of find_examples, a tpl_… of list_templates or a prj_… of save_draft.',
}

/** Next steps by the code of a refusal and how it begins. */
const byBeginning: readonly (readonly [string, RegExp, string])[] = [
  [
    ...(['forbidden', /^The account must be active/] as const),
    'Ask the person to write to the operators of the farm.',
  ],
  [
    ...(['forbidden', /^The key's scopes must include/] as const),
    'Ask the person for an API key with that scope.',
  ],
  [
    ...(['quote_changed', /^The project .* was deleted/] as const),
    'Save the project again with save_draft, call quote_render with the new draft (quote_bulk for a bulk) and show the price.',
  ],
  [
    ...(['quote_changed', /^The template .* was deleted/] as const),
    'Choose another of list_templates, call quote_render or quote_bulk with it and show the price.',
  ],
  [
    ...(['conflict', /^The endpoint must be active/] as const),
    'Ask the person whether to set it active, by update_webhook or in the dashboard.',
  ],
  [
    ...(['conflict', /^The delivery must have ended/] as const),
    'Wait; list_webhooks {deliveriesOf} shows when it has ended.',
  ],
]

/** Returns what an agent does after a refusal of a call with this input. */
export function nextStepAfter({ code, errors, detail }: FarmApiError, input: object = {}): string {
  const cap = errors.map(({ field }) => byCap[field]).find((step) => step !== undefined)
  if (code === 'insufficient_credits' && cap !== undefined) return cap
  const isAboutId = code === 'not_found' || (code === 'invalid_request' && /^id must/.test(detail))
  const isForeign = code === 'forbidden' && errors.some(({ field }) => field === 'quote')
  if (isForeign) return 'Call quote_render or quote_bulk on this connection, and show the price.'
  const begun = byBeginning.find(([of, beginning]) => of === code && beginning.test(detail))?.[2]
  if (begun !== undefined) return begun
  if (code === 'conflict' && 'draft' in input) return afterDraftChanged(input)
  const named = namedInput(input, detail)
  const hasVersion = errors.some(({ field }) => field === 'version')
  if (hasVersion) return 'Restore a version from 1 to the one that edit_draft answered last.'
  if (isAboutId && named !== undefined) return String(byInput[named])
  // A quote names a draft as `project`.
  const isAboutDraft = errors.some(({ field }) => field === 'project') && 'draft' in input
  if (isAboutDraft) return String(byInput.draft)
  if (code === 'invalid_request' && carriesProject(input)) {
    return 'Mend the fields named above; get_schema describes each part.'
  }
  return byCode[code] ?? 'Tell the person what the farm answered.'
}

/** Returns the input that carries the id in question: of several, that whose value was refused. */
function namedInput(input: object, detail: string): string | undefined {
  const given = Object.entries(input).filter(([name]) => Object.hasOwn(byInput, name))
  const isRefused = ([, value]: [string, unknown]) =>
    detail.endsWith(`Got ${value}`) || detail.endsWith(`Got ${JSON.stringify(value)}`)
  const names = Object.keys(byInput)
  const [first] = given.toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b))
  return (given.find(isRefused) ?? first)?.[0]
}

function carriesProject(input: object): boolean {
  return ['draft', 'template', 'project', 'patch'].some((name) => name in input)
}

/** No tool reads a draft: the refusal names its version. */
function afterDraftChanged(input: object): string {
  if (!('baseVersion' in input)) return 'The draft was changed meanwhile: call the tool again.'
  return 'Call edit_draft with that version as baseVersion, or leave baseVersion out.'
}
