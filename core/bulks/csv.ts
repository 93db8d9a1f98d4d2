import { CsvError, parse } from 'csv-parse/sync'

/**
 * Parses a CSV file, in whatever way a spreadsheet wrote it: commas, semicolons or tabs, a byte order
 * mark, Excel's first line `sep=;`. Returns the cells of each line, or what the file must be.
 */
export function parseCsv(whole: string): string[][] | { readonly rule: string } {
  const { text, delimiter } = withoutSeparatorLine(whole)
  const lost = nothingLost(text)
  if (lost) return { rule: lost }
  try {
    return parse(text, { bom: true, relax_column_count: true, delimiter })
  } catch (cause) {
    if (cause instanceof CsvError)
      return { rule: `must be a CSV file. Got a fault: ${cause.message}` }
    throw cause
  }
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

/** Returns the rule that U+FFFD breaks, which a program writes for a character that it could not read. */
function nothingLost(text: string): string | undefined {
  const at = text.indexOf('\ufffd')
  if (at < 0) return undefined
  const line = text.slice(0, at).split(/\r\n|\n|\r/).length
  const around = text.slice(Math.max(0, at - 20), at + 20).replace(/\s+/g, ' ')
  const rule = 'must be saved in an encoding that has all its characters'
  return `${rule}. Got the replacement character U+FFFD in line ${line}: "${around}"`
}
