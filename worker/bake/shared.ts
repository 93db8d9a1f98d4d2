import { FarmError } from '../../core/errors.ts'
import { Batcher, KeyedBatcher } from '../../runtime/batcher.ts'
import type { Baker } from './baker.ts'
import type { DocumentToPaint } from './page-pictures.ts'
import type { BakedPicture } from './paint.ts'

/** Documents per batch: as many as fit into a page. */
const most = 50

type Asked = { readonly documents: readonly DocumentToPaint[]; readonly signal: AbortSignal }

export type SharedBakes = {
  /**
   * Bakes like `Baker.bake`, for documents that do not move. Calls of one account that arrive while
   * a batch of it is painted form the next batch: a page costs far more than one more card in it.
   */
  bake(asked: Asked & { readonly accountId: string }): Promise<BakedPicture[]>
}

/**
 * Batches the bakes of an account: the jobs of a bulk bring a card or two each. Accounts share no
 * page, and wait for no other's.
 */
export function createSharedBakes(baker: Baker): SharedBakes {
  const accounts = new KeyedBatcher<Asked, BakedPicture[]>(
    (accountId) =>
      new Batcher((asked) => bakeTogether(baker, asked, accountId), {
        most,
        weigh: ({ documents }) => documents.length,
      }),
  )
  return {
    async bake({ accountId, ...asked }) {
      return await Promise.race([accounts.submit(accountId, asked), abortOf(asked.signal)])
    },
  }
}

/**
 * Paints a batch. If it fails, each document is baked alone, so that each task gets only its own
 * error.
 */
async function bakeTogether(
  baker: Baker,
  asked: readonly Asked[],
  accountId: string,
): Promise<(BakedPicture[] | Error)[]> {
  try {
    const documents = asked.flatMap((each) => each.documents)
    const signal = whenAll(asked.map((each) => each.signal))
    const pictures = await baker.bake(documents, signal, accountId)
    let from = 0
    return asked.map(({ documents: { length } }) => {
      from += length
      return pictures.slice(from - length, from)
    })
  } catch (error) {
    if (asked.length === 1) throw error
  }
  const answers: (BakedPicture[] | Error)[] = []
  for (const { documents, signal } of asked) {
    const alone = baker.bake(documents, signal, accountId)
    answers.push(await alone.catch((error: unknown) => error as Error))
  }
  return answers
}

/** Returns a signal that aborts when all of them have. */
function whenAll(signals: readonly AbortSignal[]): AbortSignal {
  const all = new AbortController()
  const look = () => {
    if (signals.every(({ aborted }) => aborted)) all.abort(signals[0]?.reason)
  }
  for (const signal of signals) signal.addEventListener('abort', look, { once: true })
  look()
  return all.signal
}

/** Rejects when the signal is aborted, as a bake alone would. */
function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () =>
      reject(new FarmError('cancelled', 'The bake was cancelled', { cause: signal.reason }))
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
