import { Batcher } from '../../runtime/batcher.ts'
import { isDatabaseAway } from './database.ts'

type Serve<Question, Answer> = (
  questions: readonly Question[],
) => Promise<readonly (Answer | Error)[]>

/**
 * Batches concurrent requests into statements of at most `most` each. `serve` answers in the order
 * of the requests, and does all or nothing. A batch that the database refuses is retried one by
 * one, so that one bad request fails alone. `keyOf`: requests with the same key run one after the
 * other.
 */
export function askTogether<Question, Answer>(
  serve: Serve<Question, Answer>,
  { most, keyOf }: { most: number; keyOf?: (question: Question) => string },
): Batcher<Question, Answer> {
  const serveFairly = unlessRefused(serve)
  if (keyOf === undefined) return new Batcher(serveFairly, { most })
  return new Batcher(
    async (questions) => {
      const answers: (Answer | Error)[] = []
      for (const turn of turnsOf(questions, keyOf)) {
        const served = await serveFairly(turn.map(({ question }) => question))
        for (const [nth, { place }] of turn.entries()) answers[place] = served[nth] as Answer
      }
      return answers
    },
    { most },
  )
}

/** Retries each request of a refused batch by itself. */
function unlessRefused<Question, Answer>(serve: Serve<Question, Answer>): Serve<Question, Answer> {
  return async (questions) => {
    try {
      return await serve(questions)
    } catch (error) {
      if (questions.length === 1 || isDatabaseAway(error)) throw error
    }
    const answers: (Answer | Error)[] = []
    for (const question of questions) {
      const [answer] = await serve([question]).catch((error: unknown) => [error as Error])
      answers.push(answer as Answer)
    }
    return answers
  }
}

/** Splits requests into batches: the first of each key, then the second, and so on. */
function turnsOf<Question>(questions: readonly Question[], keyOf: (question: Question) => string) {
  const counts = new Map<string, number>()
  const turns: { readonly question: Question; readonly place: number }[][] = []
  for (const [place, question] of questions.entries()) {
    const key = keyOf(question)
    const nth = counts.get(key) ?? 0
    counts.set(key, nth + 1)
    const turn = turns[nth] ?? []
    turns[nth] = turn
    turn.push({ question, place })
  }
  return turns
}
