import type { JobTimeline as Timeline } from '../../../client/jobs.ts'
import { axisOf, type Span } from './axis.ts'
import type { Bar, Row } from './bars.ts'
import { historiesOf, type KnownAttempt } from './histories.ts'
import { summaryRows } from './summary.ts'

export type Gantt = {
  readonly rows: readonly Row[]
  /** Seconds shown, those of cut-out idle times left out. */
  readonly seconds: number
  /** Places, 0 to 1, at which idle time is cut out, and how long it was. */
  readonly cuts: readonly { readonly at: number; readonly seconds: number }[]
  /** True where the machines' rows sum their attempts up, which are too many to draw. */
  readonly isSummary: boolean
}

/** Attempts and stages that are drawn one by one. */
export const barsMost = 2_000
/** Shorter waits are not drawn. */
const leastWait = 0.002

/**
 * Lays out a job's stages and attempts, rows for each machine; idle times are cut out of the axis. `now`:
 * end of what goes on, ms.
 */
export function layOut(timeline: Timeline, now: number): Gantt {
  const spanOf = (begun: string, ended: string | null): Span => {
    const from = Date.parse(begun)
    return { from, to: Math.max(from, ended === null ? now : Date.parse(ended)) }
  }
  const created = Date.parse(timeline.job.createdAt)
  const stages = timeline.stages.map((stage) => ({ stage, span: spanOf(stage.begun, stage.ended) }))
  const attempts = historiesOf(timeline, spanOf)
  const wait = waitOfQueue(timeline, { attempts, now })
  const axis = axisOf([
    ...(stages.length > 0 ? [{ from: created, to: created }] : []),
    ...[...stages, ...attempts].map(({ span }) => span),
    ...(wait ? [wait.span] : []),
  ])
  const place = (span: Span) => ({ from: axis.placeOf(span.from), to: axis.placeOf(span.to) })
  const isSummary = stages.length + attempts.length > barsMost
  const rows: Row[] = []
  const [first] = stages
  if (first) {
    const queued = { from: created, to: first.span.from }
    const seen = place(queued)
    rows.push({
      name: 'stages',
      bars: [
        ...(seen.to - seen.from > leastWait
          ? [waitingBar('queue', seen, `waiting: ${secondsOf(queued)} s before the first stage`)]
          : []),
        ...stages.map(({ stage, span }) => ({
          ...{ key: stage.name, ...place(span), tone: 'stage' as const, name: stage.name },
          ...{ segments: [], words: `${stage.name}: ${secondsOf(span)} s` },
        })),
      ],
    })
  }
  const machines = [...Map.groupBy(attempts, ({ attempt }) => attempt.machine)].toSorted(
    ([a], [b]) => a.localeCompare(b, 'en', { numeric: true }),
  )
  if (isSummary) rows.push(...summaryRows(machines, { place, barsMost }))
  else {
    for (const [machine, own] of machines) {
      rows.push(
        ...lanesOf(own.map((known) => ({ known, bar: barOf(known, place) }))).map((lane, at) => ({
          name: at === 0 ? machine : '',
          bars: withWaits(lane, axis.placeOf),
        })),
      )
    }
  }
  if (wait) {
    rows.push({ name: 'waiting', bars: [waitingBar('waiting', place(wait.span), wait.words)] })
  }
  return { rows, seconds: axis.seconds, cuts: axis.cuts, isSummary }
}

function barOf(
  { attempt, span, name, note, outline }: KnownAttempt,
  place: (span: Span) => Span,
): Bar {
  const { machine, number, state, reason, taskId, segments } = attempt
  const again = number > 1 ? `, attempt ${number}` : ''
  const why = reason ? `: ${reason}` : ''
  return {
    ...{ key: `${taskId} ${number}`, ...place(span), tone: tones[state], name, segments },
    ...(outline && { outline }),
    words: `${name} on ${machine}${again}: ${state}, ${secondsOf(span)} s${why}${note}`,
  }
}

type Placed = { readonly known: KnownAttempt; readonly bar: Bar }

/** Spreads bars over as few lanes as keep them apart. */
function lanesOf(bars: readonly Placed[]): Placed[][] {
  const lanes: Placed[][] = []
  for (const each of bars.toSorted((a, b) => a.bar.from - b.bar.from)) {
    const free = lanes.find((lane) => (lane.at(-1)?.bar.to ?? 0) <= each.bar.from)
    if (free) free.push(each)
    else lanes.push([each])
  }
  return lanes
}

/** Fills gaps of a lane in which its next task waited. */
function withWaits(lane: readonly Placed[], placeOf: (time: number) => number): Bar[] {
  return lane.flatMap(({ known, bar }, at) => {
    const { waitedFrom, span, name } = known
    if (waitedFrom === undefined) return [bar]
    const from = Math.max(lane[at - 1]?.bar.to ?? 0, placeOf(waitedFrom))
    if (bar.from - from <= leastWait) return [bar]
    const waited = secondsOf({ from: waitedFrom, to: span.from })
    const words = `${name} waited ${waited} s for ${known.attempt.machine}`
    return [waitingBar(`wait ${bar.key}`, { from, to: bar.from }, words), bar]
  })
}

function waitingBar(key: string, { from, to }: Span, words: string): Bar {
  return { key, from, to, tone: 'waiting', segments: [], name: '', words }
}

/** Tasks that still wait, from the first one's wait on. */
function waitOfQueue(
  { tasks }: Timeline,
  { attempts, now }: { attempts: readonly KnownAttempt[]; now: number },
): { readonly span: Span; readonly words: string } | undefined {
  const ended = new Map<string, number>()
  for (const { attempt, span } of attempts) {
    ended.set(attempt.taskId, Math.max(span.to, ended.get(attempt.taskId) ?? 0))
  }
  const waiting = tasks
    .filter(({ state }) => state === 'queued')
    .map(({ id, queuedAt }) => ended.get(id) ?? Date.parse(queuedAt))
  if (waiting.length === 0) return undefined
  const from = Math.min(now, ...waiting)
  const which = waiting.length === 1 ? '1 task waits' : `${waiting.length} tasks wait`
  const span = { from, to: now }
  return { span, words: `${which} for a machine, the first for ${secondsOf(span)} s` }
}

const tones: Readonly<Record<Timeline['attempts'][number]['state'], Bar['tone']>> = {
  ...{ running: 'busy', completed: 'good', failed: 'bad', lost: 'bad' },
  ...{ returned: 'quiet', cancelled: 'quiet', superseded: 'quiet' },
}

const secondsOf = ({ from, to }: Span) => ((to - from) / 1000).toFixed(1)
