import cliProgress from 'cli-progress'
import type { Job } from '../../client/farm-client.ts'
import { createPace, type Pace } from './pace.ts'

/** Shows progress on stderr: a bar on a terminal, else a line at times. */
export type Progress = {
  /** Shows the work before there is a job, `share` 0..1 of it done. */
  before(what: string, share: number): void
  show(job: Job): void
  end(): void
}

const stageWords: Readonly<Record<string, string>> = {
  resolve: 'reading the project',
  ingest: 'fetching media',
  bake: 'painting text',
  plan: 'planning',
  render: 'rendering',
  assemble: 'assembling',
  settle: 'finishing',
}

const quietMs = 2_000

function stageOf({ state, stage }: Job): string {
  if (state === 'queued') return 'waiting in the queue'
  return stageWords[stage ?? ''] ?? state
}

/** Formats `213/342 frames, 61.3 frames/s, 3 s left`, as far as it is known. */
export function paceText(
  { total, done }: Pick<Job['frames'], 'total' | 'done'>,
  { rate, secondsLeft }: Pace,
): string {
  if (total === 0) return ''
  const parts = [`${done}/${total} frames`]
  if (rate !== undefined) parts.push(`${rate.toFixed(1)} frames/s`)
  if (secondsLeft !== undefined && done < total) parts.push(`${timeText(secondsLeft)} left`)
  return parts.join(', ')
}

/** Formats `8 s`, `2 min 5 s`. */
export function timeText(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}

export function createProgress(stream: NodeJS.WriteStream): Progress {
  const view = createView(stream)
  const pace = createPace()
  return {
    before: (what, share) => view.show(what, share * 100, ''),
    show: (job) =>
      view.show(
        stageOf(job),
        job.progress,
        paceText(job.frames, pace(job.frames, performance.now())),
      ),
    end: view.end,
  }
}

/** `pace`: text behind the percentage. */
export type View = { show(stage: string, percent: number, pace: string): void; end(): void }

export function createView(stream: NodeJS.WriteStream): View {
  return stream.isTTY ? createBar(stream) : createLines(stream)
}

function createBar(stream: NodeJS.WriteStream): View {
  const bar = new cliProgress.SingleBar({
    stream,
    format: '{stage} {bar} {percentage}%  {pace}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    forceRedraw: true,
  })
  bar.start(100, 0, { stage: '', pace: '' })
  return {
    show: (stage, percent, pace) =>
      bar.update(Math.floor(percent), { stage: stage.padEnd(20), pace }),
    end: () => bar.stop(),
  }
}

/** Prints a line for each new stage, and one every two seconds within it. */
function createLines(stream: NodeJS.WriteStream): View {
  let stageBefore = ''
  let saidAt = 0
  return {
    show(stage, percent, pace) {
      const now = performance.now()
      if (stage === stageBefore && now - saidAt < quietMs) return
      stageBefore = stage
      saidAt = now
      const rest = pace === '' ? '' : `, ${pace}`
      stream.write(`${stage} ${Math.floor(percent)} %${rest}\n`)
    },
    end: () => {},
  }
}
