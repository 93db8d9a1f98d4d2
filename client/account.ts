import type { ApiKey } from './api-types.ts'
import type { ActOptions, Body, Caller, CallOptions, Query, Reply } from './caller.ts'
import { eachOf } from './pages.ts'

export type Profile = Reply<'GET /api/user/profile'>
export type CreditBalance = Reply<'GET /api/credits/balance'>
export type CreditTransaction = Reply<'GET /api/credits/transactions'>['transactions'][number]
export type CreditUsage = Reply<'GET /api/credits/usage-stats'>
export type TransactionFilter = Omit<
  Query<'GET /api/credits/transactions'>,
  'page' | 'pageSize' | 'limit'
>
export type NewApiKey = Body<'POST /api/api-keys'>
export type CreatedApiKey = Reply<'POST /api/api-keys'>
export type ApiKeyStats = Reply<'GET /api/api-keys/{id}/stats'>

/** Methods for the account's balance, ledger and usage. */
export function creditMethods({ ask, fetch }: Caller) {
  return {
    balance: (options: CallOptions = {}): Promise<CreditBalance> =>
      ask('GET /api/credits/balance', options),

    /** Lists the ledger, newest first. */
    transactions: (
      filter: TransactionFilter = {},
      options: CallOptions = {},
    ): AsyncGenerator<CreditTransaction> =>
      eachOf(
        (page) =>
          ask('GET /api/credits/transactions', { ...options, query: { ...filter, ...page } }),
        { items: ({ transactions }) => transactions, key: ({ id }) => id },
      ),

    /** Returns the whole ledger as CSV, newest first. */
    transactionsCsv: (filter: TransactionFilter = {}, options: CallOptions = {}): Promise<string> =>
      fetch('GET /api/credits/transactions.csv', { ...options, query: filter }, (response) =>
        response.text(),
      ),

    /** Returns the usage of the last `days` days, 30 by default. */
    usage: (days = 30, options: CallOptions = {}): Promise<CreditUsage> =>
      ask('GET /api/credits/usage-stats', { ...options, query: { days } }),
  }
}

/** Methods for the account's API keys. */
export function apiKeyMethods({ ask, act }: Caller) {
  return {
    /** Lists the keys that are not revoked, newest first. */
    async list(options: CallOptions = {}): Promise<readonly ApiKey[]> {
      return (await ask('GET /api/api-keys', options)).apiKeys
    },

    /** Creates a key. `key` is shown only this once. */
    create: (key: NewApiKey, options: ActOptions = {}): Promise<CreatedApiKey> =>
      act('POST /api/api-keys', { ...options, body: key }),

    rename: (id: string, name: string, options: CallOptions = {}): Promise<ApiKey> =>
      ask('PUT /api/api-keys/{id}', { ...options, id, body: { name } }),

    async revoke(id: string, options: CallOptions = {}): Promise<void> {
      await ask('DELETE /api/api-keys/{id}', { ...options, id })
    },

    stats: (id: string, days = 30, options: CallOptions = {}): Promise<ApiKeyStats> =>
      ask('GET /api/api-keys/{id}/stats', { ...options, id, query: { days } }),
  }
}
