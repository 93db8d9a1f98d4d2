import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../runtime/log.ts'
import type { RenderJobInput } from '../../workflows/contract.ts'

/** Starts the workflows of accepted jobs, beside the requests that brought them. */
export type WorkflowStarts = {
  /** Returns at once and never throws: the sweeper starts what is not started here. */
  add(job: RenderJobInput): void
  /** Resolves when no start is in flight; waiting jobs are left to the sweeper. */
  stop(): Promise<void>
}

/** Starts in flight: Temporal is slow, and more would only take its time from submissions. */
const atOnce = 2
/** Limit of waiting jobs; further ones are left to the sweeper, as after a crash. */
const maxWaiting = 2_000
/** Debounce: time for which the first started job waits for others to be marked with it. */
const markAfterMs = 200

export function createWorkflowStarts({
  start,
  mark,
  log,
}: {
  start: (job: RenderJobInput) => Promise<void>
  /** Records that Temporal has them. */
  mark: (jobs: readonly RenderJobInput[]) => Promise<void>
  log: Log
}): WorkflowStarts {
  const waiting: RenderJobInput[] = []
  const working = new Set<Promise<void>>()
  let started: RenderJobInput[] = []
  let marking: Promise<void> | undefined
  let isStopping = false

  async function work(): Promise<void> {
    for (let job = waiting.shift(); job && !isStopping; job = waiting.shift()) {
      try {
        await start(job)
        started.push(job)
        marking ??= markSoon()
      } catch (error) {
        log.warn(
          { err: error, ...job },
          'a workflow could not be started and is left to the sweeper',
        )
      }
    }
  }

  async function markSoon(): Promise<void> {
    await sleep(markAfterMs)
    const jobs = started
    started = []
    marking = undefined
    await mark(jobs).catch((error: unknown) =>
      log.warn({ err: error }, 'started jobs could not be marked; the sweeper looks at them again'),
    )
  }

  return {
    add(job) {
      if (isStopping || waiting.length >= maxWaiting) return
      waiting.push(job)
      if (working.size >= atOnce) return
      const mine: Promise<void> = work().finally(() => working.delete(mine))
      working.add(mine)
    },
    async stop() {
      isStopping = true
      await Promise.all(working)
      await marking
    },
  }
}
