import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db } from '../../store/db/database.ts'

/** Facts about a request that the library's callbacks need while they serve it. */
export type Exchange = {
  /** The transaction of a token request; else the farm's database. */
  readonly db: Db
  /** Address of the caller. */
  readonly from: string
  /** Reason that a grant gets when the library ends it in this request. */
  readonly endReason: string
  /** The refresh token has been used, and its unused successor is answered again. */
  readonly isReplay: boolean
  /** The refresh token that this request used. */
  used?: string
  /** Fault of a metadata document that was fetched. */
  documentFault?: string
  /** Seconds after which the address may register again. */
  retryAfterSeconds?: number
}

const exchanges = new AsyncLocalStorage<Exchange>()

export async function runExchange<T>(exchange: Exchange, work: () => Promise<T>): Promise<T> {
  return await exchanges.run(exchange, work)
}

export function currentExchange(): Exchange | undefined {
  return exchanges.getStore()
}
