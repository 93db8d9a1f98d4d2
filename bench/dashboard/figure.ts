import { showTable } from '../statistics.ts'

/** One row of the table: what was seen beside its demand. A row without a demand is there to compare with. */
export type Figure = {
  readonly name: string
  readonly seen: number
  readonly most?: number
  readonly least?: number
  readonly unit?: string
  readonly note?: string
  /** Reason for which the figure cannot be judged; then it counts as not met. */
  readonly unjudged?: string
}

export type Options = {
  /** Runs of Lighthouse for each page. */
  readonly repeats: number
  /** Length of the measurement of memory under 20 updates a second. */
  readonly minutes: number
}

type Verdict = 'met' | 'BREACH' | 'NOT JUDGED' | ''

function verdictOf({ seen, most, least, unjudged }: Figure): Verdict {
  if (unjudged !== undefined) return 'NOT JUDGED'
  if (most === undefined && least === undefined) return ''
  const isMet = seen <= (most ?? Number.POSITIVE_INFINITY) && seen >= (least ?? 0)
  return isMet ? 'met' : 'BREACH'
}

/** Prints the table. Returns whether every demand is met. */
export function report(figures: readonly Figure[]): boolean {
  const verdicts = figures.map(verdictOf)
  const rows = figures.map((figure, at) => [
    figure.name,
    `${Number(figure.seen.toFixed(figure.seen < 10 ? 2 : 0))} ${figure.unit ?? ''}`.trim(),
    demandOf(figure),
    verdicts[at] ?? '',
    [figure.unjudged, figure.note].filter(Boolean).join('; '),
  ])
  process.stdout.write(`\n${showTable(['figure', 'seen', 'demand', '', ''], rows)}\n`)
  const count = (verdict: Verdict) => verdicts.filter((each) => each === verdict).length
  const [met, breaches, unjudged] = [count('met'), count('BREACH'), count('NOT JUDGED')]
  process.stdout.write(`\n${met} met, ${breaches} not met, ${unjudged} could not be judged\n`)
  return breaches + unjudged === 0
}

function demandOf({ most, least }: Figure): string {
  if (most !== undefined) return `at most ${most}`
  return least === undefined ? '' : `at least ${least}`
}
