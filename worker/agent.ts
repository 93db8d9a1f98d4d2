import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import type { Offer, Progress, Task } from '../proto/gen/farm/v1/node.ts'
import type { Log } from '../runtime/log.ts'
import { report } from './report.ts'
import type { Outcome } from './run-task.ts'
import { isFinal, type SchedulerClient, statusOf } from './scheduler-client.ts'
import { SharedMoment } from './shared-moment.ts'

/**
 * The node's side of the scheduler. A task here is
 * - running: leased and being worked at. It ends by itself, or is aborted because a renewal said
 *   stop (then nothing is reported: the attempt is not ours any more), or because the node drains
 *   and its grace is over (then it is handed back);
 * - reporting: its outcome is told until some scheduler answers, of a small task with those of others. It is still renewed, so nobody else
 *   starts on it meanwhile.
 * Either way it leaves when that is done, and its slot is free again.
 */
type Held = {
  readonly task: Task
  readonly abort: AbortController
  framesDone: number
  previews: number
  state: 'running' | 'reporting'
}

export type RunTask = (
  task: Task,
  options: {
    signal: AbortSignal
    progress: (frames: number) => void
    previewed: () => void
  },
) => Promise<Outcome>

export type AgentOptions = {
  readonly log: Log
  readonly client: SchedulerClient
  readonly node: { readonly id: string; readonly name: string; readonly version: string }
  readonly offer: Offer
  readonly run: RunTask
  /** Why the node can take no work now, for people; '' when it can. Asked before every lease. */
  readonly pauseReason: () => Promise<string>
  /** Is told when the node has had no task for so long, once after each time that it had one. */
  readonly onIdle?: () => void
  /** Absent = 15 s. */
  readonly idleAfterMs?: number
  /** Is told why the node can do nothing for the farm, and undefined when it can. */
  readonly onStanding: (trouble: string | undefined) => void
}

const leaseWaitMs = 15_000
const defaultIdleAfterMs = 15_000
/** How soon a node that could take no work looks whether it can. */
const pauseMs = 1_000
const retryWaitsMs = [200, 500, 1_000, 2_000, 5_000]
/** Shorter than the grace of the process (runtime/lifecycle.ts). */
const drainGraceMs = 10_000

/** A task that takes so little of the node is one of many. */
const smallSlots = 0.25
/** How long one that is done waits to be told of with others: the scheduler ends them by one transaction. */
const meetMs = 150

export class Agent {
  readonly #options: AgentOptions
  readonly #held = new Map<string, Held>()
  readonly #stopping = new AbortController()
  #renewMs = 5_000
  #loops: Promise<unknown> = Promise.resolve()
  #slotFreed = () => {}
  #paused = ''
  #idle: NodeJS.Timeout | undefined
  #renewed: Promise<void> = Promise.resolve()
  readonly #meeting = new SharedMoment(meetMs)

  constructor(options: AgentOptions) {
    this.#options = options
  }

  /** Resolves when a scheduler knows the node, whose work goes on until `stop`; with false if it was stopped before. */
  async start(): Promise<boolean> {
    const isKnown = await this.#register()
    if (isKnown) this.#loops = Promise.all([this.#leaseLoop(), this.#renewLoop()])
    return isKnown
  }

  /** Takes no more leases, lets tasks end within the grace, hands back what is left. */
  async stop(): Promise<void> {
    const { client, node, log } = this.#options
    this.#stopping.abort()
    this.#options.onStanding('it is being stopped')
    this.#slotFreed()
    this.#meeting.end()
    const drain = (handedBack: Progress[]) =>
      client.drain({ nodeId: node.id, handedBack }).catch((error: unknown) => {
        log.warn({ err: error }, 'the scheduler did not hear that the node drains')
      })
    await drain([])
    const deadline = Date.now() + drainGraceMs
    while (this.#held.size > 0 && Date.now() < deadline) await sleep(50)
    const left = this.#progress()
    if (left.length > 0) {
      for (const { abort } of this.#held.values()) abort.abort(new Error('the node drains'))
      await drain(left)
    }
    await this.#loops
    client.close()
  }

  /** Asks again until a scheduler answers or the node stops. */
  async #register(): Promise<boolean> {
    const { client, node, offer, log } = this.#options
    const request = { nodeId: node.id, name: node.name, version: node.version, offer }
    for (let failures = 0; !this.#stopping.signal.aborted; failures += 1) {
      try {
        const { renewMs } = await client.register(request)
        this.#renewMs = renewMs
        if (this.#stopping.signal.aborted) return false
        this.#options.onStanding(undefined)
        return true
      } catch (error) {
        if (isFinal(error)) throw error
        if (failures === 0) {
          const why = error instanceof Error ? error.message : String(error)
          log.warn({ why }, 'no scheduler answers; asking again')
        }
        this.#options.onStanding('no scheduler answers')
        await pauseFor(failures, this.#stopping.signal)
      }
    }
    return false
  }

  async #leaseLoop(): Promise<void> {
    const { client, node, offer, log } = this.#options
    const { signal } = this.#stopping
    let failures = 0
    while (!signal.aborted) {
      const slots = Math.floor(offer.slots - this.#slotsHeld())
      if (slots < 1) {
        await new Promise<void>((resolve) => {
          this.#slotFreed = resolve
        })
        continue
      }
      try {
        if (await this.#isPaused()) {
          await sleep(pauseMs, undefined, { signal })
          continue
        }
        const request = { nodeId: node.id, slots, waitMs: leaseWaitMs }
        const { tasks } = await client.lease(request, signal)
        failures = 0
        this.#options.onStanding(undefined)
        for (const task of tasks) this.#take(task)
      } catch (error) {
        if (signal.aborted) return
        if (await this.#isForgotten(error)) continue
        log.warn({ err: error }, 'asking for work failed')
        this.#options.onStanding('no scheduler answers')
        await pauseFor(failures, this.#stopping.signal)
        failures += 1
      }
    }
  }

  #slotsHeld(): number {
    // A scheduler of before does not say how many: then it is one.
    return [...this.#held.values()].reduce((sum, { task }) => sum + (task.slots || 1), 0)
  }

  /** Tells the scheduler at once when that changes: it counts on a node that may take work. */
  async #isPaused(): Promise<boolean> {
    const { log, pauseReason } = this.#options
    const pause = await pauseReason()
    if (pause !== this.#paused) {
      log.warn({ pause }, pause === '' ? 'takes work again' : 'takes no work for the moment')
      await this.#renew(pause)
    }
    return pause !== ''
  }

  /** A scheduler that does not know the node, or thinks it drains, is told who it is. */
  async #isForgotten(error: unknown): Promise<boolean> {
    const code = statusOf(error)
    if (code !== status.NOT_FOUND && code !== status.FAILED_PRECONDITION) return false
    this.#options.log.info('registering again')
    this.#paused = ''
    await this.#register()
    return true
  }

  #take(task: Task): void {
    const abort = new AbortController()
    const held: Held = { task, abort, framesDone: 0, previews: 0, state: 'running' }
    const key = keyOf({ taskId: task.id, attempt: task.attempt })
    this.#held.set(key, held)
    clearTimeout(this.#idle)
    this.#work(held)
      .catch((error: unknown) => this.#options.log.error({ err: error }, 'a task was lost'))
      .finally(() => {
        this.#held.delete(key)
        if (this.#held.size === 0) {
          clearTimeout(this.#idle)
          const { onIdle, idleAfterMs = defaultIdleAfterMs } = this.#options
          if (onIdle) this.#idle = setTimeout(onIdle, idleAfterMs).unref()
        }
        this.#slotFreed()
      })
  }

  async #work(held: Held): Promise<void> {
    const { run } = this.#options
    const outcome = await run(held.task, {
      signal: held.abort.signal,
      progress: (frames) => {
        held.framesDone += frames
      },
      previewed: () => {
        held.previews += 1
      },
    })
    if (held.abort.signal.aborted) return
    held.state = 'reporting'
    if (isSmall(held)) await this.#meetOthers()
    await this.#report(held, outcome)
  }

  /** Small tasks of a node mostly end soon after each other; the last one that runs waits for nobody. */
  async #meetOthers(): Promise<void> {
    const others = [...this.#held.values()].some(
      (held) => held.state === 'running' && isSmall(held),
    )
    if (others && !this.#stopping.signal.aborted) await this.#meeting.wait()
    else this.#meeting.end()
  }

  async #report({ task, abort }: Held, outcome: Outcome): Promise<void> {
    const { client, node, log } = this.#options
    const attempt = { nodeId: node.id, taskId: task.id, attempt: task.attempt }
    await report(
      () => {
        if (outcome.done) return client.complete({ ...attempt, result: outcome.result })
        const { code, message, field, logTail, retry } = outcome
        const { triesMax = 0, afterMs = 0 } = retry ?? {}
        const failure = { code, message, field, logTail, triesMax, retryAfterMs: afterMs }
        return client.fail({ ...attempt, ...failure })
      },
      {
        signal: abort.signal,
        pause: (failures) => pauseFor(failures, abort.signal),
        log: log.child(attempt),
      },
    )
  }

  async #renewLoop(): Promise<void> {
    const { log } = this.#options
    const isDone = () => this.#stopping.signal.aborted && this.#held.size === 0
    for (let renewedAt = 0; !isDone(); ) {
      await sleep(Math.min(this.#renewMs, 100))
      const isQuiet = this.#held.size === 0 && this.#paused === ''
      if (isQuiet || Date.now() - renewedAt < this.#renewMs) continue
      renewedAt = Date.now()
      try {
        await this.#renew()
      } catch (error) {
        log.warn({ err: error }, 'renewing the leases failed')
        if (!this.#stopping.signal.aborted) await this.#isForgotten(error)
      }
    }
  }

  /**
   * One after the other: else a pause that is over could be told once more after its end, and stay
   * the scheduler's last word. `pause`: the new one.
   */
  #renew(pause?: string): Promise<void> {
    const { client, node } = this.#options
    const renewed = this.#renewed.then(async () => {
      const told = { nodeId: node.id, tasks: this.#progress(), pause: pause ?? this.#paused }
      const { stop } = await client.renew(told)
      this.#paused = pause ?? this.#paused
      for (const each of stop) this.#stopTask(each)
    })
    this.#renewed = renewed.catch(() => undefined)
    return renewed
  }

  /** A task that is being reported has its answer coming. */
  #stopTask(stop: { taskId: string; attempt: number; reason: string }): void {
    const held = this.#held.get(keyOf(stop))
    if (held?.state !== 'running') return
    this.#options.log.info(stop, 'told to stop a task')
    held.abort.abort(new Error(`the attempt is ${stop.reason}`))
  }

  #progress(): Progress[] {
    return [...this.#held.values()].map(({ task, framesDone, previews }) => ({
      taskId: task.id,
      attempt: task.attempt,
      framesDone,
      previews,
    }))
  }
}

/** A scheduler of before does not say what a task takes: then it is a slot. */
function isSmall({ task }: Held): boolean {
  return task.slots > 0 && task.slots <= smallSlots
}

/** Before the next try, and not beyond the signal. */
async function pauseFor(failures: number, signal: AbortSignal): Promise<void> {
  await sleep(waitOf(failures), undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

function keyOf({ taskId, attempt }: { taskId: string; attempt: number }): string {
  return `${taskId} ${attempt}`
}

function waitOf(failures: number): number {
  return retryWaitsMs[Math.min(failures, retryWaitsMs.length - 1)] ?? 0
}
