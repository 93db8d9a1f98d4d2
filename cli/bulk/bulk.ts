import { basename, join } from 'node:path'
import { createFarmClient } from '../../client/farm-client.ts'
import type { Item } from '../../core/bulks/batches.ts'
import { exitCodes, type FaultLine } from '../failure.ts'
import { untilInterrupted } from '../render/interrupted.ts'
import { type LocalMedia, pointTo } from '../render/local-media.ts'
import { type MediaServer, startMediaServer } from '../render/media-server.ts'
import { openOwnFarm } from '../render/own-farm.ts'
import { createView, timeText } from '../render/progress.ts'
import { readProjectFile } from '../render/project-file.ts'
import { remoteFarm } from '../render/remote-farm.ts'
import { warningLines } from '../render/validate.ts'
import { checkItems } from './check-items.ts'
import { fileNames, prepareFolder } from './files.ts'
import { failureLines, type ResultsFormat, writeReport } from './report.ts'
import { mediaOfRows, type RowMedia } from './row-media.ts'
import { readRows } from './rows.ts'
import { type BatchesEnd, runBatches } from './run-batches.ts'
import { unusedColumns } from './unused-columns.ts'
import type { BulkWork, Entry } from './work.ts'

export type BulkOptions = {
  readonly file: string
  readonly csv: string
  /** Encoding of the CSV file, where it is neither UTF-8 nor UTF-16. */
  readonly encoding?: string
  readonly output?: string
  readonly name?: string
  readonly results: ResultsFormat
  readonly var?: Record<string, unknown>
  readonly workers: number
  readonly data?: string
}

/** `farm bulk`. @throws Failure */
export async function renderBulk(options: BulkOptions): Promise<void> {
  const began = performance.now()
  const { file, csv, encoding } = options
  const request = readProjectFile(file, options.var)
  const table = readRows(csv, request, encoding)
  const { rows } = table
  const media = mediaOfRows(rows, request, file)
  const plainName = basename(csv).replace(/\.(?:csv|tsv|txt)$/i, '')
  const remote = remoteFarm([...media.common, ...media.ofRows.flat()])
  const folder = prepareFolder(options.output ?? plainName)
  const names = fileNames(rows)
  const entries = rows.map((row, i): Entry => {
    const item = { variables: row.variables, ...(row.name !== undefined && { name: row.name }) }
    return { row, item, fileName: names[i] ?? '' }
  })
  warnOfColumns(unusedColumns(table, request))
  warnOfEmptyRows(table.empty)
  const view = createView(process.stderr)
  const interrupted = untilInterrupted()
  const work = { request, entries, folder, view, interrupted, name: options.name ?? plainName }
  try {
    const end = remote
      ? await runBatches(remote, work)
      : await runOnOwnFarm(work, { media, options })
    view.end()
    printEnd(end, {
      ...{ folder, results: options.results },
      seconds: (performance.now() - began) / 1000,
    })
  } finally {
    view.end()
  }
}

/** Checks first, so that no farm is started for a faulty project. */
async function runOnOwnFarm(
  work: BulkWork,
  { media, options }: { media: RowMedia; options: BulkOptions },
): Promise<BatchesEnd> {
  const server = await startMediaServer()
  const trustedHosts = [server.host]
  const served = serveMedia(work, media, server)
  checkItems(served, { trustedHosts })
  work.view.show('starting the farm', 0, '')
  const farm = await openOwnFarm({
    ...{ workers: options.workers, data: options.data, trustedHosts },
    onShare: (share) => work.view.show('starting the farm', share * 100, ''),
  })
  try {
    const address = await Promise.race([farm.ready, work.interrupted])
    const lost = farm.gaveUp.then((cause) => {
      throw cause
    })
    const interrupted = Promise.race([work.interrupted, lost])
    return await runBatches(createFarmClient(address), { ...served, interrupted })
  } finally {
    await farm.stop()
    server.close()
  }
}

/** Serves each file at one address, however many rows name it. */
function serveMedia(work: BulkWork, media: RowMedia, server: MediaServer): BulkWork {
  const addresses = new Map<string, string>()
  const urlOf = ({ file }: LocalMedia) => {
    const url = addresses.get(file) ?? server.offer(file)
    addresses.set(file, url)
    return url
  }
  const entries = work.entries.map((entry, i): Entry => {
    const asked = { payload: {}, variables: entry.item.variables }
    const { variables } = pointTo(asked, media.ofRows[i] ?? [], urlOf)
    return { ...entry, item: { ...entry.item, variables: variables as Item['variables'] } }
  })
  return { ...work, request: pointTo(work.request, media.common, urlOf), entries }
}

/** Warns before anything is rendered, so that the run can be interrupted. */
function warnOfColumns(unused: readonly FaultLine[]): void {
  if (unused.length === 0) return
  const count = unused.length === 1 ? 'one column' : `${unused.length} columns`
  const lines = unused.map(({ field, message }) => `  ${field}: ${message}`)
  process.stderr.write(`farm: the project does not use ${count}:\n${lines.join('\n')}\n`)
}

function warnOfEmptyRows(empty: readonly number[]): void {
  if (empty.length === 0) return
  const shown = empty.slice(0, 5).join(', ') + (empty.length > 5 ? ', …' : '')
  const rows = empty.length === 1 ? 'one empty row is' : `${empty.length} empty rows are`
  process.stderr.write(`farm: ${rows} left out: ${shown}\n`)
}

function printEnd(
  { ends, warnings }: BatchesEnd,
  { folder, results, seconds }: { folder: string; results: ResultsFormat; seconds: number },
): never {
  const report = writeReport(folder, ends, results)
  const failures = failureLines(ends, basename(report))
  const done = ends.filter(({ file }) => file !== undefined)
  const credits = ends.reduce((sum, end) => sum + end.creditsCharged, 0)
  const time = seconds < 60 ? `${seconds.toFixed(1)} s` : timeText(seconds)
  process.stdout.write(`
${join(folder, '/')}
  ${done.length} of ${ends.length} rows rendered in ${time}, ${credits} credits
  every row: ${report}
${warningLines(warnings)
  .map((line) => `${line}\n`)
  .join('')}`)
  if (failures.length > 0) {
    const count = ends.length - done.length
    const rows = count === 1 ? 'one row has' : `${count} rows have`
    process.stderr.write(`farm: ${rows} no file:\n${failures.join('\n')}\n`)
  }
  process.exit(failures.length > 0 ? exitCodes.failed : 0)
}
