import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Batches calls: those that arrive while a batch is in flight form the next one. Under load one
 * statement serves hundreds of calls; without load a call does not wait. One batch runs at a time,
 * in order of arrival.
 */
export class Batcher<Item, Result> {
  readonly #runBatch: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>
  readonly #most: number
  readonly #weigh: (item: Item) => number
  readonly #pending: Pending<Item, Result>[] = []
  #isRunning = false

  /**
   * `runBatch` answers a batch in its order; a batch weighs at most `most` (1 each by default). An
   * answer that is an Error is thrown to its own caller only.
   */
  constructor(
    runBatch: (items: readonly Item[]) => Promise<readonly (Result | Error)[]>,
    { most, weigh = () => 1 }: { most: number; weigh?: (item: Item) => number },
  ) {
    this.#runBatch = runBatch
    this.#most = most
    this.#weigh = weigh
  }

  /** @throws what `runBatch` throws, to every caller of the batch */
  submit(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.#pending.push({ item, resolve, reject })
    if (!this.#isRunning) void this.#runAll()
    return promise
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    while (this.#pending.length > 0) {
      // Calls that arrive in this tick join the batch.
      await nextTurn()
      await this.#runOne(this.#pending.splice(0, this.#next()))
    }
    this.#isRunning = false
  }

  /** Size of the next batch, at least 1. */
  #next(): number {
    let weight = 0
    const end = this.#pending.findIndex(({ item }) => {
      weight += this.#weigh(item)
      return weight > this.#most
    })
    return end === -1 ? this.#pending.length : Math.max(1, end)
  }

  async #runOne(batch: readonly Pending<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#runBatch(batch.map(({ item }) => item))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]
        if (result instanceof Error) reject(result)
        else resolve(result as Result)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}

/**
 * Keeps a batcher for each key, such as an account, while calls with it are pending: keys do not
 * wait for each other.
 */
export class KeyedBatcher<Item, Result> {
  readonly #open: (key: string) => Batcher<Item, Result>
  readonly #opened = new Map<string, { readonly batcher: Batcher<Item, Result>; pending: number }>()

  constructor(open: (key: string) => Batcher<Item, Result>) {
    this.#open = open
  }

  /** @throws what the key's batcher throws */
  async submit(key: string, item: Item): Promise<Result> {
    const opened = this.#opened.get(key) ?? { batcher: this.#open(key), pending: 0 }
    this.#opened.set(key, opened)
    opened.pending += 1
    try {
      return await opened.batcher.submit(item)
    } finally {
      opened.pending -= 1
      if (opened.pending === 0) this.#opened.delete(key)
    }
  }
}

type Pending<Item, Result> = {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}
