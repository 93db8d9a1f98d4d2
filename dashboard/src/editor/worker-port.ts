import type { Asked } from './editor.worker.ts'
import type { LanguageAnswer, LanguageQuestion } from './json-language.ts'
import type { Judgement, Question } from './judge.ts'
import { startWorker } from './trusted-worker.ts'

type Waiting = {
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
}

/** The editor's worker as functions. It starts with the first question. */
export type WorkerPort = {
  judge(question: Question): Promise<Judgement>
  ask(question: LanguageQuestion): Promise<LanguageAnswer>
  end(): void
}

const noAnswer: LanguageAnswer = { offers: [], description: null }

export function openWorker(): WorkerPort {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let last = 0

  function start(): Worker {
    const started = startWorker()
    started.addEventListener(
      'message',
      ({ data }: MessageEvent<{ id: number; answer?: unknown; error?: string }>) => {
        const asker = waiting.get(data.id)
        waiting.delete(data.id)
        if (data.error === undefined) asker?.resolve(data.answer)
        else asker?.reject(new Error(data.error))
      },
    )
    started.addEventListener('error', ({ message }) => {
      for (const asker of waiting.values()) asker.reject(new Error(message || 'No worker'))
      waiting.clear()
      // The next question starts another one.
      started.terminate()
      if (worker === started) worker = undefined
    })
    return started
  }

  const ask = (kind: Asked['kind'], question: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      worker ??= start()
      last += 1
      waiting.set(last, { resolve, reject })
      worker.postMessage({ id: last, kind, question })
    })

  return {
    judge: (question) => ask('judge', question) as Promise<Judgement>,
    // Without a worker nothing is offered; the judge says why.
    ask: (question) => (ask('language', question) as Promise<LanguageAnswer>).catch(() => noAnswer),
    end: () => worker?.terminate(),
  }
}
