import { createTabSession, hintPlaceOf, type Send } from './tab-session.ts'

const farmOperator = 'farm operator'

const own = createTabSession({ auth: '/api/auth', name: 'farm', onCode: signInOperator })

export const session = own.state
export const { refusal, start: startSession, signIn, signOut } = own

/** Fetches from the API as the user who signed in. The client's addresses for API keys work, too. */
export async function fetchSignedIn(
  input: RequestInfo | URL,
  init: RequestInit = {},
  send?: Send,
): Promise<Response> {
  return await own.fetchSignedIn(String(input).replace(/\/api-key(?=\?|$)/, ''), init, send)
}

/** True when this browser has signed in as an operator, too. */
export const isOperatorHere = () => localStorage.getItem(hintPlaceOf(farmOperator)) !== null

/** The code of `farm dev` signs in its operator, too, where the farm serves operators. */
async function signInOperator(code: string): Promise<void> {
  const response = await fetch('/api/operator/auth/one-time', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  }).catch(() => undefined)
  if (response?.ok) localStorage.setItem(hintPlaceOf(farmOperator), 'yes')
}
