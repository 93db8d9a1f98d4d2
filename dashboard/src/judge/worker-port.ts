import type { Judged, TableCourse, TableQuestion } from '../bulks/judge-table.ts'
import type { LanguageAnswer, LanguageQuestion } from '../editor/json-language.ts'
import type { Judgement, Question } from '../editor/judge.ts'
import type { Answers, Kind, QuestionOf, Told } from './questions.ts'
import { startWorker } from './trusted-worker.ts'

type Waiting = {
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
  readonly onCourse?: (course: TableCourse) => void
}

/** The judge's worker as functions. It starts with the first question. */
export type WorkerPort = {
  judge(question: Question): Promise<Judgement>
  ask(question: LanguageQuestion): Promise<LanguageAnswer>
  /** Reads a CSV file; answers what it must be, where it is none. */
  readTable(text: string): Promise<Answers['read-table']>
  /** Judges every row. `onCourse` gets the rows, then how many of them are judged. */
  judgeTable(
    question: TableQuestion,
    options: { signal: AbortSignal; onCourse: (course: TableCourse) => void },
  ): Promise<Judged>
  end(): void
}

const noAnswer: LanguageAnswer = { offers: [], description: null }

export function openWorker(): WorkerPort {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let last = 0

  function start(): Worker {
    const started = startWorker()
    const fail = (message: string) => {
      for (const asker of waiting.values()) asker.reject(new Error(message))
      waiting.clear()
      // The next question starts another one.
      started.terminate()
      if (worker === started) worker = undefined
    }
    started.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      const { id, answer, course, error } = data
      // A part that did not load would be missing for good.
      if (error !== undefined) return fail(error)
      const asker = waiting.get(id)
      if (course) return asker?.onCourse?.(course)
      waiting.delete(id)
      asker?.resolve(answer)
    })
    started.addEventListener('error', ({ message }) => fail(message || 'No worker'))
    return started
  }

  function ask<K extends Kind>(
    kind: K,
    question: QuestionOf<K>,
    { signal, onCourse }: { signal?: AbortSignal; onCourse?: Waiting['onCourse'] } = {},
  ): Promise<Answers[K]> {
    return new Promise((resolve, reject) => {
      worker ??= start()
      last += 1
      const id = last
      waiting.set(id, {
        resolve: (answer) => resolve(answer as Answers[K]),
        ...{ reject, ...(onCourse && { onCourse }) },
      })
      worker.postMessage({ id, kind, question })
      signal?.addEventListener('abort', () => {
        if (!waiting.delete(id)) return
        worker?.postMessage({ id, kind: 'give-up' })
        reject(signal.reason)
      })
    })
  }

  return {
    judge: (question) => ask('project', question),
    // Without a worker nothing is offered; the judge says why.
    ask: (question) => ask('language', question).catch(() => noAnswer),
    readTable: (text) => ask('read-table', text),
    judgeTable: (question, options) => ask('table', question, options),
    end: () => worker?.terminate(),
  }
}
