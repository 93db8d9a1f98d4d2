import type { SlowFrame, StageSeconds } from '../../core/queue/tasks.ts'
import type { RunningSpan } from '../../runtime/tracing/tracing.ts'
import { SlowestFrames } from '../frames/slowest-frames.ts'

/** Seconds spent on each stage; concurrent stages add up. */
export type Stopwatch = {
  time<T>(stage: string, work: () => Promise<T>): Promise<T>
  /**
   * Measures like `time`, and records each call as a part of the span; for work that is done a few
   * times only.
   */
  part<T>(stage: string, work: () => Promise<T>): Promise<T>
  seconds(): StageSeconds
  /** Slowest pictures of all segments so far. */
  readonly slowFrames: SlowestFrames
}

/** The times of a task, for its result. */
export const timesOf = (watch: Stopwatch): TaskTimes => ({
  seconds: watch.seconds(),
  slowFrames: watch.slowFrames.list(),
})

type TaskTimes = { seconds: StageSeconds; slowFrames: SlowFrame[] }

export function createStopwatch(span: RunningSpan): Stopwatch {
  const spent: Record<string, number> = {}
  const time: Stopwatch['time'] = async (stage, work) => {
    const began = performance.now()
    try {
      return await work()
    } finally {
      spent[stage] = (spent[stage] ?? 0) + (performance.now() - began) / 1000
    }
  }
  return {
    time,
    part: (stage, work) => span.part(stage, () => time(stage, work)),
    seconds: () => ({ ...spent }),
    slowFrames: new SlowestFrames(),
  }
}
