/** Counts of ava's TAP output. */
export type Tally = {
  readonly counts: { passed: number; failed: number; skipped: number }
  /** Each failure with its details in TAP, as printed. */
  readonly failures: string[][]
  /** The last line of TAP has come: every test has ended. */
  isComplete: boolean
  /** Counts a line and makes it readable. Undefined: a line of no interest to people. */
  read(line: string): string | undefined
}

export function createTally(): Tally {
  let open: string[] | undefined
  return {
    counts: { passed: 0, failed: 0, skipped: 0 },
    failures: [],
    isComplete: false,
    read(line) {
      const [, not, title = '', directive] =
        /^(not )?ok \d+ - (.*?)(?: # (SKIP|TODO))?$/.exec(line) ?? []
      if (!/^(not )?ok \d+ - /.test(line)) {
        if (/^# fail \d/.test(line)) this.isComplete = true
        if (/^ {2}/.test(line)) open?.push(line)
        else open = undefined
        return /^(TAP version|1\.\.\d|# (tests|pass|skip|fail) \d|# .* hook\b)/.test(line)
          ? undefined
          : line
      }
      open = undefined
      if (directive === 'SKIP') {
        this.counts.skipped += 1
        return `- ${title} (skipped)`
      }
      this.counts[not ? 'failed' : 'passed'] += 1
      if (!not) return `✔ ${title}`
      open = [`✘ ${title}`]
      this.failures.push(open)
      return `✘ ${title}`
    },
  }
}
