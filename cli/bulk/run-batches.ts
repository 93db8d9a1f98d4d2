import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jobStates } from '../../core/jobs.ts'
import {
  type BulkProgress,
  type BulkResult,
  cancelBulk,
  type Door,
  download,
  type ItemError,
  readBulk,
  readBulkLimit,
  readBulkResults,
  submitBulk,
} from '../render/farm-client.ts'
import { splitItems } from './batches.ts'
import type { BulkWork, Entry } from './bulk.ts'
import type { RowEnd } from './report.ts'

/** From one look at a bulk to the next look at any: a plan allows two calls a second, or more. */
const pollMs = 750
const downloadsAtOnce = 4

/** Entries that were sent in one request. `bulkId` is absent when every one was refused. */
type Batch = {
  readonly entries: readonly Entry[]
  readonly bulkId: string | undefined
  readonly errors: readonly ItemError[]
}

/**
 * Sends the rows in as few bulks as the plan allows, follows them all and fetches the files. Until
 * then, whatever breaks it cancels what was sent.
 */
export async function runBatches(door: Door, work: BulkWork): Promise<readonly RowEnd[]> {
  const sent: Batch[] = []
  const sending = send(door, work, sent)
  try {
    await Promise.race([sending, work.interrupted])
    await Promise.race([follow(door, sent, work), work.interrupted])
  } catch (error) {
    await sending.catch(() => undefined)
    const ids = sent.flatMap(({ bulkId }) => bulkId ?? [])
    // The farm may be what broke; then there is nobody to tell.
    await Promise.allSettled(ids.map((id) => cancelBulk(door, id)))
    throw error
  }
  return await Promise.race([fetchAll(door, sent, work), work.interrupted])
}

async function send(door: Door, work: BulkWork, sent: Batch[]): Promise<void> {
  const { request, name } = work
  const limit = await readBulkLimit(door)
  for (const entries of splitItems(work.entries, { request, limit })) {
    work.view.show('sending', (sent.length * limit * 100) / work.entries.length, '')
    const items = entries.map(({ item }) => item)
    const { bulkId, errors } = await submitBulk(door, { ...request, name, items })
    sent.push({ entries, bulkId, errors })
  }
}

async function follow(door: Door, batches: readonly Batch[], { view }: BulkWork): Promise<void> {
  const bulks = new Map<string, BulkProgress>()
  for (const { bulkId } of batches) if (bulkId) bulks.set(bulkId, await readBulk(door, bulkId))
  for (;;) {
    showProgress(view, [...bulks.values()])
    const open = [...bulks].filter(([, { state }]) => state !== 'finished')
    if (open.length === 0) return
    for (const [id] of open) {
      await sleep(pollMs)
      bulks.set(id, await readBulk(door, id))
    }
  }
}

function showProgress(view: BulkWork['view'], bulks: readonly BulkProgress[]): void {
  const counts = jobStates.map((state) => ({
    state,
    jobs: bulks.reduce((sum, bulk) => sum + (bulk.counts[state] ?? 0), 0),
  }))
  const sizes = bulks.map((bulk) => Object.values(bulk.counts).reduce((a, b) => a + b, 0))
  const total = sizes.reduce((a, b) => a + b, 0)
  const done = bulks.reduce((sum, bulk, i) => sum + bulk.progress * (sizes[i] ?? 0), 0)
  const words = counts.filter(({ jobs }) => jobs > 0).map(({ state, jobs }) => `${jobs} ${state}`)
  view.show('rendering', total === 0 ? 100 : done / total, words.join(', '))
}

async function fetchAll(
  door: Door,
  batches: readonly Batch[],
  { folder, view }: BulkWork,
): Promise<readonly RowEnd[]> {
  const found = await Promise.all(batches.map((batch) => resultsOf(door, batch)))
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

async function resultsOf(door: Door, { entries, bulkId, errors }: Batch): Promise<Found[]> {
  const results = bulkId === undefined ? errors.map(refused) : await readBulkResults(door, bulkId)
  return results.flatMap((result) => {
    const entry = entries[result.index]
    return entry ? [{ entry, result }] : []
  })
}

function refused({ index, details }: ItemError): BulkResult {
  const sentences = details.map(({ field, message }) => (field ? `${field}: ${message}` : message))
  const none = { jobId: null, url: null, format: null, duration: null, size: null }
  return { ...none, index, state: 'refused', creditsCharged: 0, error: sentences.join(' ') }
}

async function fetchOne(folder: string, { entry, result }: Found): Promise<RowEnd> {
  const { index: _, url, format, ...end } = result
  if (url === null || end.state !== 'completed') return { row: entry.row, file: undefined, ...end }
  const file = `${entry.fileName}.${format ?? 'mp4'}`
  try {
    await download(url, join(folder, file))
    return { row: entry.row, file, ...end }
  } catch (error) {
    // The others are there to be fetched.
    return { row: entry.row, file: undefined, ...end, error: (error as Error).message }
  }
}
