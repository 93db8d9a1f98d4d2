import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { Failure, type FaultLine } from '../failure.ts'
import { parseJson } from '../json.ts'
import { isObject, type RequestFile } from '../render/project-file.ts'
import { readTextFile } from '../text-file.ts'

type Json = Record<string, unknown>

export type Row = {
  /** Row number as a spreadsheet counts: blank rows too, and the header is usually row 1. */
  readonly number: number
  readonly name: string | undefined
  readonly variables: Json
}

export type Table = {
  /** Names in the first row. */
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  /** Numbers of the rows that are left out because all their cells are empty. */
  readonly empty: readonly number[]
}

type Column = { readonly text: string; readonly path: readonly string[]; readonly own: unknown }

const columnShape = /^[A-Za-z][A-Za-z0-9_]*(?:\.(?:[A-Za-z][A-Za-z0-9_]*|[0-9]+))*$/
/** Names that reach into an object's machinery; a request forbids them as well. */
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Reads the rows of a CSV file as variables of a project. A cell stays the text it is ("007",
 * "1e5"), unless the project's own value of the variable has another type.
 * @throws Failure with every cell that cannot be read
 */
export function readRows(csv: string, request: RequestFile, encoding?: string): Table {
  // Blank lines are rows as well, as a spreadsheet counts.
  const all = parseCsv(csv, encoding).map((cells, i) => ({ cells, number: i + 1 }))
  const [first, ...numbered] = all.filter(({ cells }) => !isBlankLine(cells))
  const { empty = [], filled: records = [] } = Object.groupBy(numbered, ({ cells }) =>
    isEmpty(cells) ? 'empty' : 'filled',
  )
  if (first === undefined || records.length === 0) {
    throw new Failure(`${csv} must have a row of names and at least one row of values. Got less`)
  }
  const { cells: header } = first
  const columns = header.map((cell) => readColumn(cell.trim(), first.number, request))
  const faults = [...columns, ...duplicates(first)].filter((each) => 'message' in each)
  faults.push(...records.flatMap((record) => wrongLength(record, first)))
  if (faults.length > 0) throw new Failure(`${csv} cannot be used:`, { faults })
  const read = records.map(({ cells, number }) =>
    readRow(cells, number, columns as Column[], request),
  )
  const wrong = read.flatMap((row) => ('faults' in row ? row.faults : []))
  if (wrong.length > 0) throw new Failure(`${csv} cannot be used:`, { faults: wrong })
  return {
    columns: header.map((cell) => cell.trim()),
    rows: read as Row[],
    empty: empty.map(({ number }) => number),
  }
}

/** A line without anything is left out unsaid; files often end with some. */
function isBlankLine([cell, ...others]: readonly string[]): boolean {
  return others.length === 0 && (cell ?? '') === ''
}

/** Spreadsheets write a row of commas only for rows whose cells were cleared. */
function isEmpty(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '')
}

type CsvRow = { readonly cells: readonly string[]; readonly number: number }

function wrongLength({ cells, number }: CsvRow, header: CsvRow): FaultLine[] {
  const wanted = header.cells.length
  if (cells.length === wanted) return []
  const rule = `a row must have as many cells as row ${header.number}, which has ${wanted}`
  const hint = cells.length > wanted ? '. Put quotes around a cell with the delimiter' : ''
  return [{ field: `row ${number}`, message: `${rule}. Got ${cells.length}${hint}` }]
}

function parseCsv(csv: string, encoding?: string): string[][] {
  const { text, delimiter } = withoutSeparatorLine(
    readTextFile(csv, encoding, (bytes) => assertTable(csv, bytes)),
  )
  assertNothingLost(csv, text)
  try {
    return parse(text, { bom: true, relax_column_count: true, delimiter })
  } catch (cause) {
    if (cause instanceof CsvError) throw new Failure(`${csv}: ${cause.message}`, { cause })
    throw cause
  }
}

/** Files that people take for a CSV, by how they begin. */
const otherFiles: readonly { readonly isIt: (start: string) => boolean; readonly name: string }[] =
  [
    {
      isIt: (start) => start.startsWith('PK\x03\x04'),
      name: 'a ZIP archive, as an .xlsx workbook is: save it as CSV',
    },
    {
      isIt: (start) => start.startsWith('\xd0\xcf\x11\xe0'),
      name: 'an old Office file, such as an .xls workbook: save it as CSV',
    },
    {
      isIt: (start) => /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html)\b/i.test(start),
      name: 'an HTML page, such as a sign-in page in place of a download',
    },
  ]

/** Refuses files of other programs that are only named .csv. */
function assertTable(csv: string, bytes: Buffer): void {
  const start = bytes.toString('latin1', 0, 1000)
  const other = otherFiles.find(({ isIt }) => isIt(start))
  if (other) throw new Failure(`${csv} must be a CSV file. Got ${other.name}`)
}

/** Removes a first line `sep=;`, which Excel reads and hides, so row numbers leave it out. */
function withoutSeparatorLine(whole: string): { text: string; delimiter: string } {
  const [line = '', mark] = /^\ufeff?sep=(.)(?:\r\n|\n|\r)/i.exec(whole) ?? []
  const text = whole.slice(line.length)
  return { text, delimiter: mark ?? delimiterOf(text) }
}

/**
 * Guesses the delimiter: spreadsheets of many countries write semicolons, some write tabs; names of
 * variables have none.
 */
function delimiterOf(text: string): string {
  const [header = ''] = /[^\r\n]+/.exec(text) ?? []
  return [',', ';', '\t'].find((mark) => header.includes(mark)) ?? ','
}

/** Refuses U+FFFD, which a program writes for a character that it could not read. */
function assertNothingLost(csv: string, text: string): void {
  const at = text.indexOf('\ufffd')
  if (at < 0) return
  const line = text.slice(0, at).split(/\r\n|\n|\r/).length
  const around = text.slice(Math.max(0, at - 20), at + 20).replace(/\s+/g, ' ')
  const rule = `${csv} must be saved in an encoding that has all its characters`
  throw new Failure(`${rule}. Got the replacement character U+FFFD in line ${line}: "${around}"`)
}

function readColumn(text: string, row: number, request: RequestFile): Column | FaultLine {
  const path = text.split('.')
  if (!columnShape.test(text) || path.some((key) => forbidden.has(key))) {
    const rule = 'a column must be named like a variable, such as price or person.name.'
    return { field: `row ${row}`, message: `${rule} Got ${JSON.stringify(text.slice(0, 80))}` }
  }
  return { text, path, own: ownValue(path, request) }
}

function duplicates({ cells, number }: CsvRow): FaultLine[] {
  const names = cells.map((cell) => cell.trim())
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))].map((name) => ({
    field: `row ${number}`,
    message: `each column must have a name of its own. Got "${name}" twice`,
  }))
}

/** Returns the project's value of a variable, else a scene's. */
function ownValue(path: readonly string[], { payload, variables }: RequestFile): unknown {
  const scenes = Array.isArray(payload.scenes) ? payload.scenes : []
  const tables = [
    variables,
    payload.variables,
    ...scenes.map((scene) => (isObject(scene) ? scene.variables : undefined)),
  ]
  return tables.map((table) => valueAt(table, path)).find((value) => value !== undefined)
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, key)
        ? (at as Json)[key]
        : undefined,
    value,
  )
}

function readRow(
  cells: readonly string[],
  number: number,
  columns: readonly Column[],
  request: RequestFile,
): Row | { faults: FaultLine[] } {
  const faults: FaultLine[] = []
  const variables: Json = {}
  for (const [i, { text, path, own }] of columns.entries()) {
    const read = readCell(cells[i] ?? '', own)
    const rule = 'rule' in read ? read.rule : place(variables, path, read.value, request)
    if (rule !== undefined) {
      const message = `${text} ${rule}. Got ${JSON.stringify((cells[i] ?? '').slice(0, 80))}`
      faults.push({ field: `row ${number}`, message })
    }
  }
  if (faults.length > 0) return { faults }
  const at = columns.findIndex(({ text }) => text === 'name')
  return { number, name: cells[at]?.trim() || undefined, variables }
}

/** `value` undefined: the project's own value stays. */
function readCell(cell: string, own: unknown): { value: unknown } | { rule: string } {
  if (own === undefined || own === null || typeof own === 'string') return { value: cell }
  const text = cell.trim()
  if (text === '') return { value: undefined }
  switch (typeof own) {
    case 'number': {
      const value = Number(text)
      return Number.isFinite(value) ? { value } : { rule: 'must be a number, as in the project' }
    }
    case 'boolean': {
      const flag = text.toLowerCase()
      if (flag === 'true' || flag === 'false') return { value: flag === 'true' }
      return { rule: 'must be true or false, as in the project' }
    }
    default: {
      const value = jsonOf(text)
      const isSameKind = isObject(value) === isObject(own) && typeof value === 'object'
      if (isSameKind && value !== null) return { value }
      const kind = Array.isArray(own) ? 'array' : 'object'
      return { rule: `must be a JSON ${kind}, as in the project` }
    }
  }
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined // it has a fault of its own
  }
}

/**
 * Sets a value at its path, in a copy of the project's own value of that variable: parts without a
 * column stay. Returns the rule that it breaks, if any.
 */
function place(
  variables: Json,
  path: readonly string[],
  value: unknown,
  request: RequestFile,
): string | undefined {
  const [name = '', ...rest] = path
  if (value === undefined) return undefined
  if (rest.length === 0) {
    variables[name] = value
    return undefined
  }
  variables[name] ??= structuredClone(ownValue([name], request)) ?? {}
  let holder: unknown = variables[name]
  for (const key of rest.slice(0, -1)) {
    if (!isHolder(holder)) break
    holder[key] ??= {}
    holder = holder[key]
  }
  if (!isHolder(holder)) return `must name a part of an object or an array, but ${name} is neither`
  holder[rest.at(-1) ?? ''] = value
  return undefined
}

function isHolder(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}
