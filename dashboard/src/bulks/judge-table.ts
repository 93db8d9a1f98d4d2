import { type PlanName, plans } from '../../../core/accounts/plans.ts'
import { type Row, readTable, type TableFault } from '../../../core/bulks/table.ts'
import { priceAtSubmission } from '../../../core/jobs/pricing.ts'
import { createItemValidator, readBulk } from '../../../core/project/bulk.ts'
import { hostsIn } from '../words/hosts-in.ts'
import { type Column, itemOf, mapLines } from './mapping.ts'
import { type Seen, seenValues } from './seen-values.ts'

export { parseCsv } from '../../../core/bulks/csv.ts'

export type TableQuestion = {
  readonly payload: Record<string, unknown>
  /** Cells of each line, its names first. */
  readonly lines: readonly (readonly string[])[]
  readonly columns: readonly Column[]
  readonly plan: PlanName
}

export type Judged = {
  /** Faults of the project itself, which every row would have. */
  readonly common: readonly string[]
  /** Faults of rows, with the file's column where one is at fault. */
  readonly faults: readonly TableFault[]
  readonly credits: number
  readonly creditsMost: number
  /** Length of all films together. */
  readonly seconds: number
}

export type ReadRows = {
  /** Kinds of values of each column. */
  readonly seen: readonly Seen[]
  /** None while a cell is at fault. */
  readonly rows: readonly Row[]
  readonly empty: readonly number[]
}

/** Rows of a table as soon as they are read, then how many of them are judged. */
export type TableCourse = ReadRows | { readonly done: number }

type Options = {
  readonly onCourse: (course: TableCourse) => void
  readonly signal: AbortSignal
}

/** Time, ms, after which a question that is given up is noticed. */
const sliceMs = 100

const nothing: Judged = { common: [], faults: [], credits: 0, creditsMost: 0, seconds: 0 }

/**
 * Judges a table as the farm will, offline: its cells first, then each row's film. It trusts all hosts of
 * media, which only the farm knows. @throws the signal's reason, when the table changes meanwhile
 */
export async function judgeTable(
  { payload, lines, columns, plan: name }: TableQuestion,
  { onCourse, signal }: Options,
): Promise<Judged> {
  const seen = seenValues(lines)
  const table = readTable(mapLines(lines, columns), { payload })
  if (!table || 'faults' in table) {
    onCourse({ seen, rows: [], empty: [] })
    if (!table) return { ...nothing, common: ['the table needs a row of values'] }
    return { ...nothing, faults: named(table.faults, columns) }
  }
  const { rows, empty } = table
  onCourse({ seen, rows, empty })
  const plan = plans[name]
  const trustedHosts = hostsIn(JSON.stringify([payload, rows]))
  const bulk = readBulk({ payload, items: [{}] }, plan, { trustedHosts })
  if ('faults' in bulk) {
    const common = bulk.faults.map(({ field, message }) => `${field} ${message}`.trim())
    return { ...nothing, common }
  }
  const faults: TableFault[] = []
  const sum = { credits: 0, creditsMost: 0, seconds: 0 }
  let validate = createItemValidator(bulk.base, plan, { trustedHosts })
  let sliceBegan = performance.now()
  for (const [at, row] of rows.entries()) {
    if (performance.now() - sliceBegan > sliceMs) {
      onCourse({ done: at })
      await givenUp(signal)
      sliceBegan = performance.now()
    }
    // The markup of a bulk has a limit, and so many rows are a bulk of their own.
    if (at > 0 && at % plan.bulkItems === 0) {
      validate = createItemValidator(bulk.base, plan, { trustedHosts })
    }
    const judged = validate(itemOf(row), 0)
    if ('faults' in judged) {
      faults.push(...judged.faults.map((fault) => faultOfRow(fault, row)))
      continue
    }
    const price = priceAtSubmission(judged.resolution.project, plan)
    sum.credits += price.credits
    sum.creditsMost += price.creditsMost
    sum.seconds += price.seconds
  }
  return { common: [], faults: named(faults, columns), ...sum }
}

type ItemFault = { readonly pointer?: string; readonly field: string; readonly message: string }

function faultOfRow({ pointer = '', field, message }: ItemFault, { number }: Row): TableFault {
  const column = columnAt(pointer)
  const where = column === undefined && field ? `${field} ` : ''
  return {
    ...{ field: `row ${number}`, message: `${where}${message}` },
    ...(column !== undefined && { column }),
  }
}

/** Returns the variable whose cell a pointer such as `/items/0/variables/event/time` names. */
function columnAt(pointer: string): string | undefined {
  const [, items, , kind, ...path] = pointer.split('/')
  if (items !== 'items') return undefined
  if (kind === 'name') return 'name'
  return kind === 'variables' && path.length > 0 ? path.join('.') : undefined
}

/** Names the file's column in a fault instead of the variable that it fills. */
function named(faults: readonly TableFault[], columns: readonly Column[]): readonly TableFault[] {
  return faults.map((fault) => {
    const column = columns.find(({ variable }) => variable === fault.column)
    return column ? { ...fault, column: column.name } : fault
  })
}

/** Lets messages in. */
async function givenUp(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve))
  signal.throwIfAborted()
}
