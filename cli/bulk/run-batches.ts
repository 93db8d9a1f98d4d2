import { join } from 'node:path'
import {
  type AcceptedBulk,
  type BulkPage,
  type BulkRequest,
  type BulkResult,
  FarmApiError,
  type FarmClient,
  type ItemFaults,
} from '../../client/farm-client.ts'
import { splitItems } from '../../core/bulks/batches.ts'
import { jobStates } from '../../core/jobs/jobs.ts'
import type { FaultLine } from '../failure.ts'
import { download } from '../render/download.ts'
import { firstRetries } from '../render/remote-farm.ts'
import type { RowEnd } from './report.ts'
import type { BulkWork, Entry } from './work.ts'

/** Pause between polls of any bulks: a key may poll once a second, or more. */
const pollMs = 1_000
const downloadsAtOnce = 4
/** Time-out of a cancellation, when the farm may be away. */
const cancelTimeoutMs = 5_000

/** Entries that were sent in one request. `bulkId` is absent when every one was refused. */
type Batch = {
  readonly entries: readonly Entry[]
  readonly bulkId: string | undefined
  readonly errors: readonly ItemFaults[]
  readonly warnings: AcceptedBulk['warnings']
}

/**
 * Ends of all rows, and the bulks' warnings, without those of variables: unused columns were
 * reported before.
 */
export type BatchesEnd = {
  readonly ends: readonly RowEnd[]
  readonly warnings: readonly FaultLine[]
}

/**
 * Sends the rows in as few bulks as the plan allows, follows them all and fetches the files. A
 * failure on the way cancels all bulks that were sent.
 */
export async function runBatches(farm: FarmClient, work: BulkWork): Promise<BatchesEnd> {
  const sent: Batch[] = []
  const over = new AbortController()
  const sending = send(farm, work, sent)
  try {
    await Promise.race([sending, work.interrupted])
    await Promise.race([follow(farm, sent, { ...work, signal: over.signal }), work.interrupted])
  } catch (error) {
    await sending.catch(() => undefined)
    const ids = sent.flatMap(({ bulkId }) => bulkId ?? [])
    // The farm itself may have failed; then no cancellation reaches it.
    const signal = AbortSignal.timeout(cancelTimeoutMs)
    await Promise.allSettled(ids.map((id) => farm.cancelBulk(id, { signal })))
    throw error
  } finally {
    over.abort()
  }
  const ends = await Promise.race([fetchAll(farm, sent, work), work.interrupted])
  return { ends, warnings: warningsOf(sent) }
}

function warningsOf(sent: readonly Batch[]): FaultLine[] {
  const told = new Map<string, FaultLine>()
  for (const { field, code, message } of sent.flatMap(({ warnings }) => warnings)) {
    if (code !== 'unused_variable') told.set(`${field} ${message}`, { field, message })
  }
  return [...told.values()]
}

async function send(farm: FarmClient, work: BulkWork, sent: Batch[]): Promise<void> {
  const { request, name } = work
  const { plan } = await farm.profile({ retries: firstRetries })
  const limit = plan.limits.bulkItems ?? 1
  for (const entries of splitItems(work.entries, { request, limit })) {
    work.view.show('sending', (sent.length * limit * 100) / work.entries.length, '')
    const items = entries.map(({ item }) => item)
    const {
      bulkId,
      errors,
      warnings = [],
    } = await submit(farm, { ...request, name, items } as BulkRequest)
    sent.push({ entries, bulkId, errors, warnings })
  }
}

type Sent = Pick<Partial<AcceptedBulk>, 'bulkId'> & Pick<AcceptedBulk, 'errors' | 'warnings'>

/**
 * A submission whose items are all refused creates no bulk; its errors are handled like those of
 * others.
 */
async function submit(farm: FarmClient, request: BulkRequest): Promise<Sent> {
  try {
    return await farm.submitBulk(request)
  } catch (error) {
    if (error instanceof FarmApiError && error.itemErrors.length > 0) {
      return { errors: error.itemErrors, warnings: [] }
    }
    throw error
  }
}

async function follow(
  farm: FarmClient,
  batches: readonly Batch[],
  { view, signal }: BulkWork & { signal: AbortSignal },
): Promise<void> {
  const ids = batches.flatMap(({ bulkId }) => bulkId ?? [])
  const bulks = new Map<string, BulkPage>()
  const waits = ids.map((id) =>
    farm.waitBulk(id, {
      ...{ signal, pollMs: pollMs * ids.length },
      onProgress(bulk) {
        bulks.set(id, bulk)
        if (bulks.size === ids.length) showProgress(view, [...bulks.values()])
      },
    }),
  )
  await Promise.all(waits)
}

function showProgress(view: BulkWork['view'], bulks: readonly BulkPage[]): void {
  const counts = jobStates.map((state) => ({
    state,
    jobs: bulks.reduce((sum, bulk) => sum + bulk.counts[state], 0),
  }))
  const sizes = bulks.map((bulk) => Object.values(bulk.counts).reduce((a, b) => a + b, 0))
  const total = sizes.reduce((a, b) => a + b, 0)
  const done = bulks.reduce((sum, bulk, i) => sum + bulk.progress * (sizes[i] ?? 0), 0)
  const words = counts.filter(({ jobs }) => jobs > 0).map(({ state, jobs }) => `${jobs} ${state}`)
  view.show('rendering', total === 0 ? 100 : done / total, words.join(', '))
}

async function fetchAll(
  farm: FarmClient,
  batches: readonly Batch[],
  { folder, view }: BulkWork,
): Promise<readonly RowEnd[]> {
  const found = await Promise.all(batches.map((batch) => resultsOf(farm, batch)))
  const all = found.flat()
  const ends: RowEnd[] = []
  for (let from = 0; from < all.length; from += downloadsAtOnce) {
    view.show('fetching the files', (from * 100) / all.length, '')
    const some = all.slice(from, from + downloadsAtOnce)
    ends.push(...(await Promise.all(some.map((each) => fetchOne(folder, each)))))
  }
  return ends
}

type Found = { readonly entry: Entry; readonly result: BulkResult }

async function resultsOf(farm: FarmClient, { entries, bulkId, errors }: Batch): Promise<Found[]> {
  const results = bulkId === undefined ? errors.map(refused) : await farm.bulkResults(bulkId)
  return results.flatMap((result) => {
    const entry = entries[result.index]
    return entry ? [{ entry, result }] : []
  })
}

function refused({ index, details }: ItemFaults): BulkResult {
  const sentences = details.map(({ field, message }) => (field ? `${field}: ${message}` : message))
  const none = { jobId: null, name: null, url: null, format: null, duration: null, size: null }
  return { ...none, index, state: 'refused', creditsCharged: 0, error: sentences.join(' ') }
}

async function fetchOne(folder: string, { entry, result }: Found): Promise<RowEnd> {
  const { index: _, name: __, url, format, ...end } = result
  if (url === null || end.state !== 'completed') return { row: entry.row, file: undefined, ...end }
  const file = `${entry.fileName}.${format ?? 'mp4'}`
  try {
    await download(url, join(folder, file))
    return { row: entry.row, file, ...end }
  } catch (error) {
    // The other files can still be fetched.
    return { row: entry.row, file: undefined, ...end, error: (error as Error).message }
  }
}
