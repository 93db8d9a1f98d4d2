import { createLog } from '../../runtime/log.ts'
import { type Db, openDatabase } from '../../store/db/database.ts'
import { readDatabaseUrl } from '../../store/db/database-url.ts'
import type { LedgerFault } from '../../store/db/fsck/find-ledger-faults.ts'
import { checkStore, type FsckReport } from '../../store/fsck.ts'
import { isMendable, type Mended, type Mending, mendStore } from '../../store/mend.ts'
import { openObjects } from '../accounts/operate.ts'
import { showTable } from '../accounts/table.ts'
import { exitCodes } from '../failure.ts'
import { act } from './act.ts'

/** Most stray objects that are listed one by one. */
const strayShown = 1_000

/**
 * Compares rows, objects and ledger, and mends what it can with `repair`. The exit code is 1 when something is
 * wrong and stays so.
 */
export async function fsck({
  repair,
  restored,
  why,
  by,
  json = false,
}: {
  readonly repair: boolean
  readonly restored: boolean
  readonly why?: string
  readonly by?: string
  readonly json?: boolean
}): Promise<void> {
  const url = readDatabaseUrl(process.env)
  const objects = openObjects()
  const db = openPatientDatabase(url)
  const mending = { isRestored: restored }
  try {
    const report = await checkStore(db, objects, {
      onLedger: (faults) => {
        if (!json) console.log(ledgerAsText(faults))
      },
    })
    const isClean = report.missing.length + report.stray.length + report.ledger.length === 0
    const recorded = { what: 'fsck repair', subject: 'farm', why: why ?? '', ...(by && { by }) }
    const mended =
      repair && !isClean
        ? await act(db, recorded, (tx) => mendStore(tx, report, mending))
        : undefined
    console.log(json ? JSON.stringify(asJson(report, mended)) : asText(report, mended, mending))
    if (!isClean && !(mended && isMendable(report, mending))) process.exitCode = exitCodes.failed
  } finally {
    await db.destroy()
  }
}

/** Opens a database whose statements may take as long as a large ledger needs. */
export function openPatientDatabase(url: string): Db {
  const settings = { statement_timeout: '0', idle_in_transaction_session_timeout: '0' }
  return openDatabase({ url, log: createLog('farm'), connections: 1, settings })
}

function asJson({ stray, ...report }: FsckReport, mended: Mended | undefined) {
  return {
    ...report,
    stray: { objects: stray.length, bytes: bytesOf(stray), first: stray.slice(0, strayShown) },
    mended: mended ?? null,
  }
}

function asText(report: FsckReport, mended: Mended | undefined, mending: Mending): string {
  const { accounts, objects, rows, missing, stray } = report
  const lines = [`checked: ${accounts} accounts, ${rows} rows, ${objects} objects`]
  if (missing.length > 0) {
    const shown = missing.map(({ of, fault, accountId, id, name }) => ({
      ...{ of, fault, account: accountId, id, name },
    }))
    lines.push('', `${missing.length} rows whose object is not there:`, showTable(shown))
  }
  if (stray.length > 0) {
    lines.push('', `${stray.length} objects without a row, ${bytesOf(stray)} bytes:`)
    lines.push(showTable(stray.slice(0, strayShown).map(({ key, bytes }) => ({ key, bytes }))))
  }
  return [...lines, '', conclusion(report, mended, mending)].join('\n')
}

/** Says whether the ledger balances; people read it while objects are still listed. */
function ledgerAsText(ledger: readonly LedgerFault[]): string {
  if (ledger.length === 0) return 'The ledger balances.\n'
  const shown = ledger.map(({ accountId, jobId, fault }) => ({
    ...{ account: accountId, job: jobId ?? '-', fault },
  }))
  return [
    `${ledger.length} accounts or jobs whose ledger does not balance:`,
    showTable(shown),
    '',
  ].join('\n')
}

function conclusion(report: FsckReport, mended: Mended | undefined, mending: Mending): string {
  const { missing, stray, ledger } = report
  if (missing.length + stray.length + ledger.length === 0) return 'Rows, objects and ledger agree.'
  if (mended === undefined) {
    return 'Nothing was changed. `farm fsck --repair --why REASON` forgets what can be made again and removes objects without a row.'
  }
  const { artifacts, jobs, objects } = mended
  const did = `Forgot ${artifacts} artifacts, began ${jobs} open jobs again, scheduled ${objects} objects for deletion.`
  return isMendable(report, mending) ? did : `${did} The rest is for people: see above.`
}

function bytesOf(objects: readonly { readonly bytes: number }[]): number {
  return objects.reduce((sum, { bytes }) => sum + bytes, 0)
}
