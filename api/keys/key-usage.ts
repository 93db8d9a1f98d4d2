import type { Log } from '../../runtime/log.ts'
import { addKeyUsage } from '../../store/db/accounts/add-key-usage.ts'
import type { Db } from '../../store/db/database.ts'

export type KeyUsage = {
  count(keyId: string): void
  /** Writes the last counts. */
  stop(): Promise<void>
}

/** A process that dies loses the counts of this time; the ledger, which is money, loses nothing. */
const flushMs = 2_000

/**
 * Counts requests for each key in memory and adds them to the table every two seconds. Written with
 * each request, they would make one hot row a key, and cost a third of a small request.
 */
export function countKeyUsage({ db, log }: { db: Db; log: Log }): KeyUsage {
  let counts = new Map<string, number>()
  let flushing = Promise.resolve()
  const count = (keyId: string, requests = 1) =>
    void counts.set(keyId, (counts.get(keyId) ?? 0) + requests)

  async function flush(): Promise<void> {
    if (counts.size === 0) return
    const taken = counts
    counts = new Map()
    try {
      await addKeyUsage(db, taken)
    } catch (error) {
      log.warn({ err: error }, 'key usage could not be stored and is retried')
      for (const [keyId, requests] of taken) count(keyId, requests)
    }
  }

  const timer = setInterval(() => {
    flushing = flushing.then(flush)
  }, flushMs)
  timer.unref()
  return {
    count: (keyId) => count(keyId),
    async stop() {
      clearInterval(timer)
      await flushing
      await flush()
    },
  }
}
