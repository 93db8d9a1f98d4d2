import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Batches calls: those that arrive while a batch is in flight form the next one. Under load one
 * statement serves hundreds of calls; without load a call does not wait. One batch runs at a time,
 * in order of arrival.
 */
export class Gather<Question, Answer> {
  readonly #serve: (questions: readonly Question[]) => Promise<readonly (Answer | Error)[]>
  readonly #most: number
  readonly #weigh: (question: Question) => number
  readonly #waiting: Waiting<Question, Answer>[] = []
  #serving = false

  /**
   * `serve` answers a batch in its order; a batch weighs at most `most` (1 each by default). An
   * answer that is an Error is thrown to its own caller only.
   */
  constructor(
    serve: (questions: readonly Question[]) => Promise<readonly (Answer | Error)[]>,
    { most, weigh = () => 1 }: { most: number; weigh?: (question: Question) => number },
  ) {
    this.#serve = serve
    this.#most = most
    this.#weigh = weigh
  }

  /** @throws what `serve` throws, to every caller of the batch */
  ask(question: Question): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#waiting.push({ question, resolve, reject })
    if (!this.#serving) void this.#serveAll()
    return promise
  }

  async #serveAll(): Promise<void> {
    this.#serving = true
    while (this.#waiting.length > 0) {
      // Calls that arrive in this tick join the batch.
      await nextTurn()
      await this.#serveSome(this.#waiting.splice(0, this.#next()))
    }
    this.#serving = false
  }

  /** Size of the next batch, at least 1. */
  #next(): number {
    let weight = 0
    const end = this.#waiting.findIndex(({ question }) => {
      weight += this.#weigh(question)
      return weight > this.#most
    })
    return end === -1 ? this.#waiting.length : Math.max(1, end)
  }

  async #serveSome(asked: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#serve(asked.map(({ question }) => question))
      for (const [index, { resolve, reject }] of asked.entries()) {
        const answer = answers[index]
        if (answer instanceof Error) reject(answer)
        else resolve(answer as Answer)
      }
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }
}

/**
 * Keeps a batcher for each key, such as an account, while calls with it are pending: keys do not
 * wait for each other.
 */
export class GatherByKey<Question, Answer> {
  readonly #open: (key: string) => Gather<Question, Answer>
  readonly #opened = new Map<
    string,
    { readonly gather: Gather<Question, Answer>; asking: number }
  >()

  constructor(open: (key: string) => Gather<Question, Answer>) {
    this.#open = open
  }

  /** @throws what the key's batcher throws */
  async ask(key: string, question: Question): Promise<Answer> {
    const opened = this.#opened.get(key) ?? { gather: this.#open(key), asking: 0 }
    this.#opened.set(key, opened)
    opened.asking += 1
    try {
      return await opened.gather.ask(question)
    } finally {
      opened.asking -= 1
      if (opened.asking === 0) this.#opened.delete(key)
    }
  }
}

type Waiting<Question, Answer> = {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}
