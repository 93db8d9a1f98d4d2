/** Minimum, median and maximum of repeated measurements. */
export type Spread = { readonly min: number; readonly median: number; readonly max: number }

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return { min: at(0), median: at(0.5), max: at(1) }
}

/** Formats a spread as `123.4 (120.1 .. 126.0)`: median, then the range. */
export function showSpread({ min, median, max }: Spread, digits = 1): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} .. ${max.toFixed(digits)})`
}

/** Returns the wall seconds of one run. */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

/** Formats rows of text under a header, columns as wide as their widest cell. */
export function showTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
    '\n',
  )
}

/** Returns the value that this percentage of all do not exceed (NaN for none). */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (
    sorted[Math.min(sorted.length - 1, Math.floor((percent / 100) * sorted.length))] ?? Number.NaN
  )
}
