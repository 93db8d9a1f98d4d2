import type { LibraryAnswer } from './sign-in-server.ts'

/** Steps that help an app whose registration or connection has ended, by OAuth's own code. */
const nextSteps: Readonly<Record<string, string>> = {
  invalid_client:
    'The farm does not know the client, or has forgotten it: register again, then connect again',
  invalid_grant: 'The connection has ended or the code was used: ask the person to connect again',
}

/** Adds the next step to a refusal's description; its code and status stay. */
export function withNextStep(answer: LibraryAnswer): LibraryAnswer {
  if (answer.statusCode < 400 || answer.statusCode >= 500) return answer
  const fault = JSON.parse(answer.body.toString('utf8')) as Fault
  const next = nextSteps[fault.error]
  if (next === undefined) return answer
  const said = fault.error_description === undefined ? '' : `${fault.error_description}. `
  return {
    ...answer,
    body: Buffer.from(JSON.stringify({ ...fault, error_description: `${said}${next}` })),
  }
}

type Fault = { readonly error: string; readonly error_description?: string }
