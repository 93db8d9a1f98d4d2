import type { Log } from '../../runtime/log.ts'
import { repeat } from '../../runtime/repeat.ts'
import type { SealKeys } from '../../runtime/seal.ts'
import type { Db } from '../../store/db/database.ts'
import { sealDrafts } from '../../store/db/projects/seal-drafts.ts'

const everyMs = 30_000
/** Rows of a turn: a draft may have 2 MB. */
const rowsPerTurn = 20

type Sealing = { readonly db: Db; readonly sealKeys: SealKeys }

/**
 * Seals drafts that an older version of the farm stored in clear, and those under an older key, so
 * that the key can be removed. Any number may run.
 * @returns a function that stops it after the current turn.
 */
export function startSealing(sealing: Sealing & { readonly log: Log }): () => Promise<void> {
  const { stop } = repeat({
    everyMs,
    run: async () => await sealOldDrafts(sealing),
    onError: (error) => sealing.log.warn({ err: error }, 'older drafts could not be sealed'),
  })
  return stop
}

/** Runs one turn. @returns whether there may be more to do at once */
export async function sealOldDrafts({ db, sealKeys }: Sealing): Promise<boolean> {
  return (await sealDrafts(db, { sealKeys, limit: rowsPerTurn })) >= rowsPerTurn
}
