/** Most bytes that are kept, and the longest line: the rest of it is cut off. */
const keptBytes = 64 * 1024
const lineLength = 4_000

/** Consecutive lines; `from` is the number of the first. */
export type NumberedLines = { readonly from: number; readonly lines: readonly string[] }

/** Keeps the newest lines of a log, numbered from 0, within 64 kB. */
export class RecentLines {
  readonly #lines: string[] = []
  #first = 0
  #bytes = 0

  /** Number that the next line gets. */
  get end(): number {
    return this.#first + this.#lines.length
  }

  write(text: string): void {
    const line = text.trimEnd().slice(0, lineLength)
    this.#lines.push(line)
    this.#bytes += Buffer.byteLength(line)
    while (this.#bytes > keptBytes) {
      this.#bytes -= Buffer.byteLength(this.#lines.shift() ?? '')
      this.#first += 1
    }
  }

  /**
   * Returns the kept lines from the given number on, as many as fit into `maxBytes`. Dropped ones are
   * left out, which `from` shows.
   */
  since(number: number, maxBytes: number): NumberedLines {
    const from = Math.max(number, this.#first)
    const lines: string[] = []
    let bytes = 0
    for (const line of this.#lines.slice(from - this.#first)) {
      bytes += Buffer.byteLength(line)
      if (bytes > maxBytes) break
      lines.push(line)
    }
    return { from, lines }
  }
}
