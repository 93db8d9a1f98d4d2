import type { LogLines } from '../../proto/gen/farm/v1/node.ts'
import type { RecentLines } from '../../runtime/recent-lines.ts'

/** Bytes of one attempt's log in a renewal. */
const logBytes = 16_000

/** The log of a running attempt, and how much of it an operator who follows it has. */
export class FollowedLog {
  #lines: RecentLines | undefined
  #sent: number | undefined

  get isFollowed(): boolean {
    return this.#sent !== undefined
  }

  /** True when somebody follows the log and lacks lines of it. */
  get hasNews(): boolean {
    return this.#sent !== undefined && this.#sent < (this.#lines?.end ?? 0)
  }

  begin(lines: RecentLines): void {
    this.#lines = lines
  }

  /** `sent`: lines that the farm has; undefined: nobody follows. */
  follow(sent: number | undefined): void {
    this.#sent = sent
  }

  /** Returns the next lines for those who follow; undefined: there are none, or nobody does. */
  news(maxBytes: number): LogLines | undefined {
    if (!this.hasNews) return undefined
    const found = this.#lines?.since(this.#sent ?? 0, Math.min(maxBytes, logBytes))
    return found && found.lines.length > 0 ? { ...found, lines: [...found.lines] } : undefined
  }
}
