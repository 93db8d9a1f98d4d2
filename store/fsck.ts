import type { Db } from './db/database.ts'
import { findLedgerFaults, type LedgerFault } from './db/fsck/find-ledger-faults.ts'
import { type ExpectedObject, listExpectedObjects } from './db/fsck/list-expected-objects.ts'
import { type KnownPlaces, listKnownPlaces } from './db/fsck/list-known-places.ts'
import type { ListedObject, ObjectStore } from './objects/object-store.ts'

/** A row whose object the store lacks, or has in another size. */
export type MissingObject = Omit<ExpectedObject, 'bytes'> & {
  readonly accountId: string
  readonly fault: 'missing' | 'of another size'
}

/** An object that no row accounts for. `accountId`: as its key says. */
export type StrayObject = Pick<ListedObject, 'key' | 'bytes'> & { readonly accountId: string }

export type FsckReport = {
  readonly accounts: number
  readonly objects: number
  readonly rows: number
  readonly missing: readonly MissingObject[]
  readonly stray: readonly StrayObject[]
  readonly ledger: readonly LedgerFault[]
}

/** Younger objects may belong to rows that are about to be written. */
const strayAfterMs = 3_600_000

/**
 * Compares rows and objects of every account, and the ledger with the balances. It changes nothing, and may run
 * beside a farm that works. It holds the rows of one account at a time.
 */
export async function checkStore(
  db: Db,
  objects: Pick<ObjectStore, 'list' | 'stat'>,
  {
    now = Date.now(),
    strayMs = strayAfterMs,
    onLedger = () => undefined,
  }: {
    now?: number
    strayMs?: number
    /** Gets the ledger's faults before objects are listed, which may take hours. */
    onLedger?: (faults: readonly LedgerFault[]) => void
  } = {},
): Promise<FsckReport> {
  const ledger = await findLedgerFaults(db)
  onLedger(ledger)
  const known = await db.selectFrom('accounts').select('id').orderBy('id').execute()
  const unseen = new Set(known.map(({ id }) => id))
  const missing: MissingObject[] = []
  const stray: StrayObject[] = []
  let listed = 0
  let rows = 0
  let current: AccountCheck | undefined

  async function finish(): Promise<void> {
    if (current === undefined) return
    missing.push(...(await current.missing(objects)))
    rows += current.rows
  }
  for await (const object of objects.list('accounts/')) {
    const accountId = object.key.split('/')[1] ?? ''
    if (current?.accountId !== accountId) {
      await finish()
      current = await beginAccount(db, { accountId, isKnown: unseen.delete(accountId) })
    }
    listed += 1
    if (!current.accountsFor(object) && object.modified.getTime() < now - strayMs) {
      stray.push({ accountId, key: object.key, bytes: object.bytes })
    }
  }
  await finish()
  for (const accountId of unseen) {
    current = await beginAccount(db, { accountId, isKnown: true })
    await finish()
  }
  return { accounts: known.length, objects: listed, rows, missing, stray, ledger }
}

async function beginAccount(
  db: Db,
  { accountId, isKnown }: { accountId: string; isKnown: boolean },
): Promise<AccountCheck> {
  const expected = isKnown ? await listExpectedObjects(db, accountId) : []
  return new AccountCheck(accountId, { expected, places: await listKnownPlaces(db, accountId) })
}

/** The comparison of one account: its rows are known, its objects come one by one. */
class AccountCheck {
  readonly accountId: string
  readonly #expected: ReadonlyMap<string, readonly ExpectedObject[]>
  readonly #places: KnownPlaces
  /** Sizes of the expected objects that were listed. */
  readonly #seen = new Map<string, number>()

  constructor(
    accountId: string,
    { expected, places }: { expected: readonly ExpectedObject[]; places: KnownPlaces },
  ) {
    this.accountId = accountId
    this.#expected = Map.groupBy(expected, ({ key }) => key)
    this.#places = places
  }

  get rows(): number {
    return [...this.#expected.values()].reduce((sum, { length }) => sum + length, 0)
  }

  /** Answers whether a row names the object, or something above it. */
  accountsFor({ key, bytes }: ListedObject): boolean {
    if (this.#expected.has(key)) {
      this.#seen.set(key, bytes)
      return true
    }
    const { jobs, tasks, keys } = this.#places
    const [, , kind, id = ''] = key.split('/')
    if (kind === 'jobs' && jobs.has(id)) return true
    if (kind === 'tasks' && tasks.has(id)) return true
    if (keys.has(key)) return true
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
      if (keys.has(key.slice(0, end + 1))) return true
    }
    return false
  }

  /** Rows without their object. Looks again for each, as it may have been written after the list passed it. */
  async missing(objects: Pick<ObjectStore, 'stat'>): Promise<readonly MissingObject[]> {
    const found: MissingObject[] = []
    for (const [key, rows] of this.#expected) {
      const size = this.#seen.get(key) ?? (await objects.stat(key))?.bytes
      for (const { bytes, ...row } of rows) {
        const isRight = size !== undefined && (bytes === null || bytes === size)
        const fault = size === undefined ? 'missing' : 'of another size'
        if (!isRight) found.push({ ...row, accountId: this.accountId, fault })
      }
    }
    return found
  }
}
