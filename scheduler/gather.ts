import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Serves together all who ask while those before them are served: under load one statement does for
 * hundreds of calls, and without load a call waits for nobody. One at a time is served, in the order
 * of asking.
 */
export class Gather<Question, Answer> {
  readonly #serve: (questions: readonly Question[]) => Promise<readonly Answer[]>
  readonly #most: number
  readonly #waiting: Waiting<Question, Answer>[] = []
  #serving = false

  /** `serve` answers as many as it is asked, in their order, `most` at once. */
  constructor(
    serve: (questions: readonly Question[]) => Promise<readonly Answer[]>,
    { most }: { most: number },
  ) {
    this.#serve = serve
    this.#most = most
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
      await this.#serveSome(this.#waiting.splice(0, this.#most))
    }
    this.#serving = false
  }

  async #serveSome(asked: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.#serve(asked.map(({ question }) => question))
      for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }
}

type Waiting<Question, Answer> = {
  readonly question: Question
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}
