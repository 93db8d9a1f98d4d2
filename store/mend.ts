import { scheduleDeletion } from './db/artifacts/schedule-deletion.ts'
import type { Db } from './db/database.ts'
import { forgetArtifacts } from './db/fsck/forget-artifacts.ts'
import { forgetTasks } from './db/fsck/forget-tasks.ts'
import type { FsckReport, MissingObject } from './fsck.ts'

export type Mended = {
  /** Artifacts that will be made again. */
  readonly artifacts: number
  /** Open jobs that begin again. */
  readonly jobs: number
  /** Objects that the retention will remove. */
  readonly objects: number
}

/** `isRestored`: the database was restored, and Temporal knows nothing of its open jobs. */
export type Mending = { readonly isRestored: boolean }

/**
 * Mends what a check found as far as nothing is lost by it: forgets artifacts without their object, and schedules
 * the deletion of stray objects. `isRestored`: no workflow of an open job runs, so those that miss an object
 * begin again. Files of ended jobs, uploads and the ledger stay as they are. Belongs into a transaction.
 */
export async function mendStore(
  db: Db,
  { missing, stray }: FsckReport,
  { isRestored }: Mending,
): Promise<Mended> {
  let artifacts = 0
  const lost = missing.filter(({ of }) => of === 'artifact')
  for (const [accountId, rows] of Map.groupBy(lost, (row) => row.accountId)) {
    artifacts += await forgetArtifacts(db, { accountId, keys: rows.map(({ key }) => key) })
  }
  const open = isRestored ? missing.filter(({ of }) => of === 'open job') : []
  const jobs = await forgetTasks(db, [...new Set(open.map(({ id }) => id))])
  await scheduleDeletion(
    db,
    stray.map(({ key }) => key),
  )
  return { artifacts, jobs: jobs.length, objects: stray.length }
}

/** True where nothing is left that only people can mend. */
export function isMendable({ missing, ledger }: FsckReport, { isRestored }: Mending): boolean {
  const mended: readonly MissingObject['of'][] = isRestored
    ? ['artifact', 'open job']
    : ['artifact']
  return ledger.length === 0 && missing.every(({ of }) => mended.includes(of))
}
