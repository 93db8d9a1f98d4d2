export type TableRow = Readonly<Record<string, TableCell>>
type TableCell = string | number | boolean | Date | null | readonly string[]

/**
 * Formats rows under the names of their columns, each as wide as its widest cell; numbers to the
 * right.
 */
export function showTable(rows: readonly TableRow[]): string {
  const [first] = rows
  if (!first) return 'none'
  const columns = Object.keys(first).map((name) => {
    const cells = rows.map((row) => showCell(row[name] ?? null))
    const width = Math.max(name.length, ...cells.map((cell) => cell.length))
    const isNumber = rows.every((row) => typeof row[name] === 'number')
    const pad = (text: string) => (isNumber ? text.padStart(width) : text.padEnd(width))
    return [name, ...cells].map(pad)
  })
  const lines = columns[0]?.map((_, i) => columns.map((column) => column[i]).join('  ')) ?? []
  return lines.map((line) => line.trimEnd()).join('\n')
}

function showCell(cell: TableCell): string {
  if (cell === null) return '-'
  if (cell instanceof Date) return cell.toISOString().replace(/\.\d+Z$/, 'Z')
  return Array.isArray(cell) ? cell.join(',') : String(cell)
}
