/** Next steps of the gateway's refusals at the endpoint, by how `code: detail` begins. */
const steps: readonly (readonly [RegExp, string])[] = [
  [
    /^forbidden: The account must be active/,
    'Ask the person to write to the operators of the farm',
  ],
  [/^forbidden: The key's scopes must/, 'Ask the person for an API key with that scope'],
  [/^forbidden: The header Host/, 'Send the request to the address that the person was given'],
  [/^forbidden: The header Origin/, 'Ask the operators of the farm to allow this page'],
  [
    /^invalid_request: (?:The endpoint takes|A parameter must)/,
    'Send tokens as Authorization: Bearer, and API keys in the header X-Api-Key',
  ],
  [/^invalid_request: The body/, 'Send one JSON-RPC message'],
  [/^invalid_request: /, 'Mend what is named here and send the request again'],
  [/^body_too_large: /, 'Send a project in parts with save_draft and edit_draft'],
  [/^unsupported_media_type: /, 'Send the header Content-Type: application/json'],
  [/^too_many_requests: /, 'Wait as long as the header Retry-After says, then send it again'],
]

/** Returns what an agent does after a refusal, which it or its person can mend. */
export function nextStepOf({ code, detail }: { code: string; detail: string }): string {
  const [, step = 'Nothing is lost; send the request again in a minute'] =
    steps.find(([beginning]) => beginning.test(`${code}: ${detail}`)) ?? []
  return step
}
