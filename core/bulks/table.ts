import { parseJson } from '../parse-json.ts'
import { isRecord } from '../project/check.ts'

type Json = Record<string, unknown>

/** Values that a project has without a table: cells take their types. */
export type ProjectValues = {
  readonly payload: Readonly<Record<string, unknown>>
  readonly variables?: unknown
}

/** `field`: `row 4`, as a spreadsheet counts; `column`: its name, of a fault of one cell. */
export type TableFault = {
  readonly field: string
  readonly message: string
  readonly column?: string
}

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

/** Type that cells of a column are read as: that of the project's own value, and text where it has none. */
export type CellType = 'text' | 'number' | 'flag' | 'array' | 'object'

type Column = { readonly text: string; readonly path: readonly string[]; readonly type: CellType }

const columnShape = /^[A-Za-z][A-Za-z0-9_]*(?:\.(?:[A-Za-z][A-Za-z0-9_]*|[0-9]+))*$/
/** Names that reach into an object's machinery; a request forbids them as well. */
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Reads the rows of a CSV file as variables of a project. A cell stays the text it is ("007",
 * "1e5"), unless the project's own value of the variable has another type. `lines`: cells of all
 * lines, blank ones included, as `parseCsv` answers them. Returns every fault instead, if there is one;
 * undefined for a table without values.
 */
export function readTable(
  lines: readonly (readonly string[])[],
  project: ProjectValues,
): Table | { readonly faults: readonly TableFault[] } | undefined {
  // Blank lines are rows as well, as a spreadsheet counts.
  const all = lines.map((cells, i) => ({ cells, number: i + 1 }))
  const [first, ...numbered] = all.filter(({ cells }) => !isBlankLine(cells))
  const { empty = [], filled: records = [] } = Object.groupBy(numbered, ({ cells }) =>
    isEmpty(cells) ? 'empty' : 'filled',
  )
  if (first === undefined || records.length === 0) return undefined
  const { cells: header } = first
  const columns = header.map((cell) => readColumn(cell.trim(), first.number, project))
  const faults = [...columns, ...duplicates(first)].filter((each) => 'message' in each)
  faults.push(...records.flatMap((record) => wrongLength(record, first)))
  if (faults.length > 0) return { faults }
  const read = records.map(({ cells, number }) =>
    readRow(cells, number, columns as Column[], project),
  )
  const wrong = read.flatMap((row) => ('faults' in row ? row.faults : []))
  if (wrong.length > 0) return { faults: wrong }
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

function wrongLength({ cells, number }: CsvRow, header: CsvRow): TableFault[] {
  const wanted = header.cells.length
  if (cells.length === wanted) return []
  const rule = `a row must have as many cells as row ${header.number}, which has ${wanted}`
  const hint = cells.length > wanted ? '. Put quotes around a cell with the delimiter' : ''
  return [{ field: `row ${number}`, message: `${rule}. Got ${cells.length}${hint}` }]
}

function readColumn(text: string, row: number, project: ProjectValues): Column | TableFault {
  const path = text.split('.')
  if (!columnShape.test(text) || path.some((key) => forbidden.has(key))) {
    const rule = 'a column must be named like a variable, such as price or person.name.'
    return { field: `row ${row}`, message: `${rule} Got ${JSON.stringify(text.slice(0, 80))}` }
  }
  return { text, path, type: typeOf(ownValue(path, project)) }
}

function duplicates({ cells, number }: CsvRow): TableFault[] {
  const names = cells.map((cell) => cell.trim())
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))].map((name) => ({
    field: `row ${number}`,
    message: `each column must have a name of its own. Got "${name}" twice`,
  }))
}

/** Returns the project's value of a variable, else a scene's. */
function ownValue(path: readonly string[], { payload, variables }: ProjectValues): unknown {
  const scenes = Array.isArray(payload.scenes) ? payload.scenes : []
  const tables = [
    variables,
    payload.variables,
    ...scenes.map((scene) => (isRecord(scene) ? scene.variables : undefined)),
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
  project: ProjectValues,
): Row | { faults: TableFault[] } {
  const faults: TableFault[] = []
  const variables: Json = {}
  for (const [i, { text, path, type }] of columns.entries()) {
    const read = readCell(cells[i] ?? '', type)
    const rule = 'rule' in read ? read.rule : place(variables, path, read.value, project)
    if (rule !== undefined) {
      const message = `${text} ${rule}. Got ${JSON.stringify((cells[i] ?? '').slice(0, 80))}`
      faults.push({ field: `row ${number}`, message, column: text })
    }
  }
  if (faults.length > 0) return { faults }
  const at = columns.findIndex(({ text }) => text === 'name')
  return { number, name: cells[at]?.trim() || undefined, variables }
}

/** Returns the type of the cells that fill a variable such as `person.name`. */
export function cellType(variable: string, project: ProjectValues): CellType {
  return typeOf(ownValue(variable.split('.'), project))
}

function typeOf(own: unknown): CellType {
  if (Array.isArray(own)) return 'array'
  if (isRecord(own)) return 'object'
  if (typeof own === 'number') return 'number'
  return typeof own === 'boolean' ? 'flag' : 'text'
}

/** Reads a cell as a type. `value` undefined: the project's own value stays. */
export function readCell(cell: string, type: CellType): { value: unknown } | { rule: string } {
  if (type === 'text') return { value: cell }
  const text = cell.trim()
  if (text === '') return { value: undefined }
  switch (type) {
    case 'number': {
      const value = Number(text)
      return Number.isFinite(value) ? { value } : { rule: 'must be a number, as in the project' }
    }
    case 'flag': {
      const flag = text.toLowerCase()
      if (flag === 'true' || flag === 'false') return { value: flag === 'true' }
      return { rule: 'must be true or false, as in the project' }
    }
    default: {
      const value = jsonOf(text)
      if (typeof value === 'object' && value !== null && typeOf(value) === type) return { value }
      return { rule: `must be a JSON ${type}, as in the project` }
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
  project: ProjectValues,
): string | undefined {
  const [name = '', ...rest] = path
  if (value === undefined) return undefined
  if (rest.length === 0) {
    variables[name] = value
    return undefined
  }
  variables[name] ??= structuredClone(ownValue([name], project)) ?? {}
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
