import type { LibraryAnswer } from './sign-in-server.ts'

export type Fault = { readonly error: string; readonly error_description?: string }

/** Steps by the description, where a code stands for faults of several kinds. */
const stepsOfDescriptions: readonly (readonly [RegExp, string])[] = [
  [/code_verifier/, 'Send the code_verifier that the code_challenge of this sign-in was made from'],
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
  unsupported_grant_type: 'Send authorization_code or refresh_token as grant_type',
}

/** Adds the next step to a refusal's description; its code and status stay. */
export function withNextStep(answer: LibraryAnswer): LibraryAnswer {
  if (answer.statusCode < 400 || answer.statusCode >= 500) return answer
  const fault = JSON.parse(answer.body.toString('utf8')) as Fault
  return { ...answer, body: Buffer.from(JSON.stringify(withStep(fault))) }
}

export function withStep<T extends Fault>(fault: T): T {
  const { error, error_description: description } = fault
  const [, next = stepsOfCodes[error]] =
    stepsOfDescriptions.find(([words]) => words.test(description ?? '')) ?? []
  if (next === undefined) return fault
  const said = description === undefined ? '' : `${description}. `
  return { ...fault, error_description: `${said}${next}` }
}
