import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Serves together all who ask while those before them are served: under load one statement does for
 * hundreds of calls, and without load a call waits for nobody. One at a time is served, in the order
 * of asking.
 */
export class Gather<Question, Answer> {
  readonly #serve: (questions: readonly Question[]) => Promise<readonly (Answer | Error)[]>
  readonly #most: number
  readonly #weigh: (question: Question) => number
  readonly #waiting: Waiting<Question, Answer>[] = []
  #serving = false

  /**
   * `serve` answers what it is asked, in that order: `most` at once, by their weight (1 each). An
   * answer that is an Error is thrown to who asked it alone.
   */
  constructor(
    serve: (questions: readonly Question[]) => Promise<readonly (Answer | Error)[]>,
    { most, weigh = () => 1 }: { most: number; weigh?: (question: Question) => number },
  ) {
    this.#serve = serve
    this.#most = most
    this.#weigh = weigh
  }

  /** @throws what `serve` does, for all whom it was to serve */
  ask(question: Question): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    this.#waiting.push({ question, resolve, reject })
    if (!this.#serving) void this.#serveAll()
    return promise
  }

  async #serveAll(): Promise<void> {
    this.#serving = true
    while (this.#waiting.length > 0) {
      // What has arrived at this moment comes along.
      await nextTurn()
      await this.#serveSome(this.#waiting.splice(0, this.#next()))
    }
    this.#serving = false
  }

  /** How many come next: one at least. */
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

/** A `Gather` for each key, such as an account, for as long as someone asks with it: keys wait for no other's. */
export class GatherByKey<Question, Answer> {
  readonly #open: (key: string) => Gather<Question, Answer>
  readonly #opened = new Map<
    string,
    { readonly gather: Gather<Question, Answer>; asking: number }
  >()

  constructor(open: (key: string) => Gather<Question, Answer>) {
    this.#open = open
  }

  /** @throws what `Gather.ask` does */
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
