import type { StageSeconds } from '../../core/tasks.ts'

/** Seconds spent on each stage; stages that run at the same time add up. */
export type Stopwatch = {
  time<T>(stage: string, work: () => Promise<T>): Promise<T>
  seconds(): StageSeconds
}

export function createStopwatch(): Stopwatch {
  const spent: Record<string, number> = {}
  return {
    async time(stage, work) {
      const began = performance.now()
      try {
        return await work()
      } finally {
        spent[stage] = (spent[stage] ?? 0) + (performance.now() - began) / 1000
      }
    },
    seconds: () => ({ ...spent }),
  }
}
