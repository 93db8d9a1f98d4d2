import { sha256Bytes } from '../../runtime/sha256.ts'
import { type EndedToken, findEndedToken } from '../../store/db/agents/find-ended-token.ts'
import type { Db } from '../../store/db/database.ts'

/**
 * Sentences for tokens that are not accepted, each with what the agent does next. They also go into
 * the header WWW-Authenticate, so that they hold neither quotes nor backslashes.
 */

export const unknownToken =
  'The token has expired or its connection has ended. Refresh it; if that is refused, ask the person to connect again'

const suspended =
  'The account must be active. Got one that the operators of the farm have suspended. Ask the person to write to the operators'
const expired =
  'The access token has expired. Get another with the refresh token; if that is refused, ask the person to connect again'
const elsewhere =
  'The token must be an access token for this endpoint. Got one that is for something else. Send the access token, or ask the person to connect again'

/** Sentences by the reason that the grant was ended for. */
const byReason: Readonly<Record<string, string>> = {
  'disconnected by a user':
    'A user of the account has disconnected this agent. Ask the person whether to connect again',
  'signed out':
    'The person has signed out, which disconnects their agents. Ask the person to connect again',
  'new password':
    'The person has a new password, which disconnects their agents. Ask the person to connect again',
  'account suspended':
    'The account was suspended, which disconnects its agents; it is active again. Ask the person to connect again',
  'revoked by the client': 'The app has revoked this connection. Ask the person to connect again',
  'a code or refresh token was used twice':
    'A code or refresh token of this connection was used twice, which ends it. Ask the person to connect again',
}

/** Says why an access token is not accepted, and what to do. */
export async function whyNotAccepted(db: Db, token: string): Promise<string> {
  const found = await findEndedToken(db, sha256Bytes(token))
  if (found === undefined) return unknownToken
  return whyEnded(found) ?? (found.isExpired ? expired : elsewhere)
}

const unknownRefresh =
  'The refresh token must be one that the farm keeps. Got an unknown one, or one whose connection has ended. Ask the person to connect again'
const expiredRefresh =
  'The refresh token has expired, because it was not used for long. Ask the person to connect again'
const noRefresh =
  'The refresh_token must be a refresh token. Got an access token. Send the refresh token that came with it, or ask the person to connect again'

/** Says why a refresh token is not accepted; undefined: it is valid, but not for this request. */
export async function whyNotRefreshed(db: Db, token: string): Promise<string | undefined> {
  const found = await findEndedToken(db, sha256Bytes(token))
  if (found === undefined) return unknownRefresh
  if (found.kind === 'access') return noRefresh
  return whyEnded(found) ?? (found.isExpired ? expiredRefresh : undefined)
}

function whyEnded({ isSuspended, reason }: EndedToken): string | undefined {
  if (isSuspended) return suspended
  return reason === null ? undefined : (byReason[reason] ?? unknownToken)
}
