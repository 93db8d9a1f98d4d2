import type { Provider } from 'oidc-provider'
import { sha256Bytes } from '../../runtime/sha256.ts'
import { findOAuthToken, lockOAuthToken } from '../../store/db/agents/find-oauth-token.ts'
import type { Db } from '../../store/db/database.ts'
import { type Exchange, runExchange } from './exchange.ts'
import { unsealUnder } from './token-seal.ts'

type TokenRequest<T> = {
  readonly form: URLSearchParams
  /** Address of the caller. */
  readonly from: string
  /** Lets the library answer the form. */
  readonly answer: (form: URLSearchParams) => Promise<T>
}

/** Undoes what was written for an answer that says that the farm failed. */
class Undone<T> extends Error {
  readonly answer: T

  constructor(answer: T) {
    super('the farm failed')
    this.answer = answer
  }
}

const grantTypes = {
  authorization_code: { parameter: 'code', kind: 'code' },
  refresh_token: { parameter: 'refresh_token', kind: 'refresh' },
} as const

/**
 * Answers a token request in a transaction that holds the code or token: parallel uses wait for each
 * other, so that exactly one of them is the first.
 *
 * A used refresh token is answered with its successor within the grace, as long as nobody has used
 * that one: hosts race their refreshes (decision 0106). Any other use of a used one ends the grant.
 */
export async function answerTokenRequest<T extends { readonly statusCode: number }>(
  { db, provider, graceSeconds }: { db: Db; provider: Provider; graceSeconds: number },
  { form, from, answer }: TokenRequest<T>,
): Promise<T> {
  const type = grantTypes[form.get('grant_type') as keyof typeof grantTypes]
  const token = type && form.get(type.parameter)
  const plain: Exchange = {
    db,
    from,
    endReason: 'a code or refresh token was used twice',
    isReplay: false,
  }
  if (!type || !token) return await runExchange(plain, () => answer(form))
  const known = await findOAuthToken(db, { sha256: sha256Bytes(token), kind: type.kind })
  if (known === undefined) return await runExchange(plain, () => answer(form))
  // Fetches the client's metadata document, if it has one, before anything is locked.
  await runExchange(plain, () => findQuietly(provider, known.clientId))
  const transaction = db.transaction().execute(async (tx) => {
    const held = await lockOAuthToken(tx, { sha256: sha256Bytes(token), kind: type.kind })
    const successor =
      held?.successor && isWithin(held.consumedFor, graceSeconds)
        ? await unusedSuccessor(tx, unsealUnder(token, held.successor))
        : undefined
    const exchange = { ...plain, db: tx, isReplay: successor !== undefined }
    const asked = new URLSearchParams(form)
    if (successor !== undefined) asked.set('refresh_token', successor)
    const answered = await runExchange(exchange, () => answer(asked))
    if (answered.statusCode >= 500) throw new Undone(answered)
    return answered
  })
  return await transaction.catch((error: unknown) => {
    if (error instanceof Undone) return error.answer as T
    throw error
  })
}

function isWithin(seconds: number | null, graceSeconds: number): boolean {
  return seconds !== null && graceSeconds > 0 && seconds <= graceSeconds
}

/** Locks the successor as well, so that nobody uses it before this request is answered. */
async function unusedSuccessor(tx: Db, token: string): Promise<string | undefined> {
  const found = await lockOAuthToken(tx, { sha256: sha256Bytes(token), kind: 'refresh' })
  return found?.consumedAt === null ? token : undefined
}

async function findQuietly(provider: Provider, clientId: string | null): Promise<void> {
  if (clientId === null) return
  await provider.Client.find(clientId).catch(() => undefined)
}
