import type { LibraryAnswer } from './sign-in-server.ts'

export type Fault = { readonly error: string; readonly error_description?: string }

/** Steps by the description, where a code stands for faults of several kinds. */
const stepsOfDescriptions: readonly (readonly [RegExp, string])[] = [
  [/^(?:A redirect_uri|redirect_uris) must/, 'Mend the address and register again'],
  [/code_verifier/, 'Send the code_verifier that the code_challenge of this sign-in was made from'],
  [
    /code_challenge|PKCE/,
    'Send code_challenge, made from the code_verifier by S256, and code_challenge_method=S256',
  ],
  [/redirect_uri/, 'Send the redirect_uri that the client registered and this sign-in began with'],
  [/no client authentication/, 'Send client_id, and the client_secret if the client has one'],
  [/content-type bodies/, 'Send grant_type and its parameters as a form; this one is empty'],
  [/missing required parameter/, 'Send the request again with it'],
  [/has expired|session/, 'Start again from the app'],
]

/** Steps that help an app, by OAuth's own code. */
const stepsOfCodes: Readonly<Record<string, string>> = {
  invalid_client:
    'The farm does not know the client, or has forgotten it: register again, then connect again',
  invalid_grant: 'The connection has ended or the code was used: ask the person to connect again',
  invalid_request: 'Mend the parameters, or start again from the app',
  invalid_scope: 'Send the scope service:mcp, or no scope',
  invalid_target: 'Send the resource that the document of the endpoint names, or no resource',
  access_denied: 'Ask the person before this app asks them again',
  invalid_client_metadata: 'Mend the metadata and register again',
  login_required: 'Leave prompt=none out: a person must answer',
  request_not_supported: 'Send the parameters themselves, without request',
  request_uri_not_supported: 'Send the parameters themselves, without request_uri',
  server_error: 'Start again from the app in a minute',
  too_many_requests:
    'Wait as long as the header Retry-After says, or use a client metadata document',
  unsupported_response_mode: 'Leave response_mode out, or send query',
  unsupported_response_type: 'Send response_type=code',
  unsupported_grant_type: 'Send authorization_code or refresh_token as grant_type',
}

/**
 * Adds the next step to a refusal's description; its code and status stay. `ended`: why the connection
 * has ended, which then is all that is said of its token.
 */
export function withNextStep(answer: LibraryAnswer, ended?: string): LibraryAnswer {
  if (answer.statusCode < 400 || answer.statusCode >= 500) return answer
  const fault = JSON.parse(answer.body.toString('utf8')) as Fault
  const isOver = ended !== undefined && fault.error === 'invalid_grant'
  const told = isOver ? { ...fault, error_description: ended } : withStep(fault)
  return { ...answer, body: Buffer.from(JSON.stringify(told)) }
}

/** Adds the next step to a refusal that a browser carries to the app in an address. */
export function withStepInAddress(location: string): string {
  const [, before = '', query = ''] = /^([^?#]*[?#])(.*)$/s.exec(location) ?? []
  const parameters = new URLSearchParams(query)
  const error = parameters.get('error')
  if (error === null) return location
  const description = parameters.get('error_description')
  const fault = { error, ...(description !== null && { error_description: description }) }
  parameters.set('error_description', withStep(fault).error_description ?? error)
  return `${before}${parameters}`
}

export function withStep<T extends Fault>(fault: T): T {
  const { error, error_description: description } = fault
  const [, next = stepsOfCodes[error]] =
    stepsOfDescriptions.find(([words]) => words.test(description ?? '')) ?? []
  if (next === undefined) return fault
  const said = description === undefined ? '' : `${description}. `
  return { ...fault, error_description: `${said}${next}` }
}
