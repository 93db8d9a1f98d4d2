import type { Span } from './axis.ts'
import type { Bar, Row } from './bars.ts'
import type { KnownAttempt } from './histories.ts'

/** Machines that have a row of their own. */
const machinesMost = 100

/** Sums the attempts of each machine up: when it was busy, and what came of them. */
export function summaryRows(
  machines: readonly (readonly [string, readonly KnownAttempt[]])[],
  { place, barsMost }: { place: (span: Span) => Span; barsMost: number },
): Row[] {
  const shown = machines.slice(0, machinesMost)
  const others = machines.slice(machinesMost)
  const rest: (readonly [string, readonly KnownAttempt[]])[] =
    others.length === 0
      ? []
      : [[`${others.length} more machines`, others.flatMap(([, attempts]) => attempts)]]
  const all = [...shown, ...rest]
  // Bars are at least this far apart, so that no machine has more than its part of them.
  const apart = Math.max(0.002, all.length / (barsMost - all.length))
  return all.map(([machine, attempts]) => ({
    name: machine,
    bars: busyTimes(
      attempts.map(({ span }) => place(span)),
      apart,
    ).map(
      (span, i): Bar => ({
        ...{ key: String(i), ...span, segments: [], name: i === 0 ? countsOf(attempts) : '' },
        tone: attempts.some(({ attempt }) => attempt.state === 'running') ? 'busy' : 'good',
        words: `${machine}: ${countsOf(attempts)}`,
      }),
    ),
  }))
}

/** Returns `120 attempts: 118 completed, 2 lost`. */
function countsOf(attempts: readonly KnownAttempt[]): string {
  const states = Map.groupBy(attempts, ({ attempt }) => attempt.state)
  const parts = [...states].map(([state, own]) => `${own.length} ${state}`)
  return `${attempts.length} attempts: ${parts.join(', ')}`
}

/** Joins spans that overlap or are nearly together. */
function busyTimes(spans: readonly Span[], apart: number): Span[] {
  const busy: { from: number; to: number }[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = busy.at(-1)
    if (last && from - last.to < apart) last.to = Math.max(last.to, to)
    else busy.push({ from, to })
  }
  return busy
}
