import type { JobTimeline as Timeline } from '../../../client/jobs.ts'

/** Bar from `from` to `to`, shares 0 to 1 of the width. */
export type Bar = {
  readonly key: string
  readonly from: number
  readonly to: number
  readonly tone: 'stage' | 'good' | 'busy' | 'bad' | 'quiet'
  readonly name: string
  /** Sentence for those who hover, and for the table. */
  readonly words: string
}
/** Row of bars of which none overlaps another. `name` is '' for a machine's second row and later ones. */
export type Row = { readonly name: string; readonly bars: readonly Bar[] }
export type Gantt = {
  readonly rows: readonly Row[]
  /** Seconds shown, those of cut-out idle times left out. */
  readonly seconds: number
  /** Places, 0 to 1, at which idle time is cut out, and how long it was. */
  readonly cuts: readonly { readonly at: number; readonly seconds: number }[]
}

/** Longer times in which nothing happened are cut to this. */
const idleSeconds = 5
const shortestSeconds = 0.001

type Span = { readonly from: number; readonly to: number }

/**
 * Lays out a job's stages and attempts, rows for each machine; idle times are cut out of the axis. `now`:
 * end of what goes on, ms.
 */
export function layOut(timeline: Timeline, now: number): Gantt {
  const spanOf = (begun: string, ended: string | null): Span => {
    const from = Date.parse(begun)
    return { from, to: Math.max(from, ended === null ? now : Date.parse(ended)) }
  }
  const stages = timeline.stages.map((stage) => ({ stage, span: spanOf(stage.begun, stage.ended) }))
  const attempts = timeline.attempts.map((attempt) => ({
    attempt,
    span: spanOf(attempt.leasedAt, attempt.endedAt),
  }))
  const axis = axisOf([...stages, ...attempts].map(({ span }) => span))
  const kinds = new Map(timeline.tasks.map((task) => [task.id, task]))
  const bar = (span: Span) => ({ from: axis.placeOf(span.from), to: axis.placeOf(span.to) })
  const rows: Row[] = []
  if (stages.length > 0) {
    rows.push({
      name: 'stages',
      bars: stages.map(({ stage, span }) => ({
        ...{ key: stage.name, ...bar(span), tone: 'stage', name: stage.name },
        words: `${stage.name}: ${secondsOf(span)} s`,
      })),
    })
  }
  const machines = Map.groupBy(attempts, ({ attempt }) => attempt.machine)
  for (const [machine, own] of [...machines].toSorted(([a], [b]) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )) {
    const bars = own.map(({ attempt, span }): Bar => {
      const task = kinds.get(attempt.taskId)
      const again = attempt.number > 1 ? `, attempt ${attempt.number}` : ''
      const why = attempt.reason ? `: ${attempt.reason}` : ''
      const name = `${task?.kind ?? 'task'}${segmentsOf(attempt.segments)}`
      return {
        ...{
          key: `${attempt.taskId} ${attempt.number}`,
          ...bar(span),
          tone: tones[attempt.state],
        },
        name,
        words: `${name} on ${machine}${again}: ${attempt.state}, ${secondsOf(span)} s${why}`,
      }
    })
    rows.push(...lanesOf(bars).map((lane, at) => ({ name: at === 0 ? machine : '', bars: lane })))
  }
  return { rows, seconds: axis.seconds, cuts: axis.cuts }
}

/** Spreads bars over as few lanes as keep them apart. */
function lanesOf(bars: readonly Bar[]): Bar[][] {
  const lanes: Bar[][] = []
  for (const bar of bars.toSorted((a, b) => a.from - b.from)) {
    const free = lanes.find((lane) => (lane.at(-1)?.to ?? 0) <= bar.from)
    if (free) free.push(bar)
    else lanes.push([bar])
  }
  return lanes
}

const tones: Readonly<Record<Timeline['attempts'][number]['state'], Bar['tone']>> = {
  ...{ running: 'busy', completed: 'good', failed: 'bad', lost: 'bad' },
  ...{ returned: 'quiet', cancelled: 'quiet', superseded: 'quiet' },
}

const secondsOf = ({ from, to }: Span) => ((to - from) / 1000).toFixed(1)

/** Returns ` 3 to 5` for consecutive segments, ` 0, 4` for others. */
function segmentsOf(segments: readonly number[]): string {
  const [first] = segments
  const last = segments.at(-1)
  if (first === undefined || last === undefined) return ''
  if (segments.length === 1) return ` ${first}`
  const isRange = last - first === segments.length - 1
  return isRange ? ` ${first} to ${last}` : ` ${segments.join(', ')}`
}

/** Maps times to places 0 to 1; times covered by no span are cut to a few seconds. */
function axisOf(spans: readonly Span[]) {
  const pieces: { from: number; to: number; at: number }[] = []
  const cuts: { at: number; seconds: number }[] = []
  let seconds = 0
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = pieces.at(-1)
    if (last && from <= last.to) {
      seconds += Math.max(0, to - last.to) / 1000
      last.to = Math.max(last.to, to)
      continue
    }
    if (last) {
      const idle = (from - last.to) / 1000
      if (idle > idleSeconds) cuts.push({ at: seconds, seconds: idle })
      seconds += Math.min(idle, idleSeconds)
    }
    pieces.push({ from, to, at: seconds })
    seconds += (to - from) / 1000
  }
  const whole = Math.max(seconds, shortestSeconds)
  return {
    seconds,
    cuts: cuts.map((cut) => ({ ...cut, at: cut.at / whole })),
    placeOf: (time: number) => {
      const piece = pieces.findLast(({ from }) => from <= time) ?? pieces[0]
      if (!piece) return 0
      return Math.min(
        1,
        (piece.at + Math.min(piece.to, Math.max(piece.from, time)) / 1000 - piece.from / 1000) /
          whole,
      )
    },
  }
}
