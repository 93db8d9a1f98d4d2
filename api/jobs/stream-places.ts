import { FarmError } from '../../core/errors.ts'
import type { ApiMetrics } from '../metrics.ts'

const most = 5_000

/** Counts the open streams of the process, of all kinds. */
export class StreamPlaces {
  readonly #metrics: Pick<ApiMetrics, 'listening'>
  #count = 0

  constructor(metrics: Pick<ApiMetrics, 'listening'>) {
    this.#metrics = metrics
  }

  /** Makes the places of one kind of stream; `name`: as a refusal calls them. */
  of(name: string, mostOfAccount: number): AccountPlaces {
    const own = new Map<string, number>()
    return {
      refusal: (accountId) => {
        if ((own.get(accountId) ?? 0) >= mostOfAccount) {
          const rule = `An account must have <= ${mostOfAccount} ${name} open at a time.`
          return new FarmError('too_many_requests', `${rule} Got one more`)
        }
        if (this.#count < most) return undefined
        return new FarmError('unavailable', 'All event streams are in use; try again')
      },
      take: (accountId) => {
        own.set(accountId, (own.get(accountId) ?? 0) + 1)
        this.#add(1)
      },
      release: (accountId) => {
        const left = (own.get(accountId) ?? 1) - 1
        if (left === 0) own.delete(accountId)
        else own.set(accountId, left)
        this.#add(-1)
      },
    }
  }

  #add(streams: number): void {
    this.#count += streams
    this.#metrics.listening(this.#count)
  }
}

export type AccountPlaces = {
  /** Why there is no room for another stream of the account; undefined when there is. */
  readonly refusal: (accountId: string) => FarmError | undefined
  readonly take: (accountId: string) => void
  readonly release: (accountId: string) => void
}
