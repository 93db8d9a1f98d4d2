import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import type { NodeUsage, Offer, Progress, Task } from '../../proto/gen/farm/v1/node.ts'
import type { Log } from '../../runtime/log.ts'
import type { RecentLines } from '../../runtime/recent-lines.ts'
import { CoalescingTimer } from './coalescing-timer.ts'
import { FollowedLog } from './followed-log.ts'
import { report } from './report.ts'
import type { Outcome } from './run-task.ts'
import { isFinal, type SchedulerClient, statusOf } from './scheduler-client.ts'

/**
 * A task that this node holds for the scheduler. It leaves the map when it is done, which frees its
 * slot.
 * - running: leased and in work. It ends by itself. A renewal that says stop aborts it, and nothing
 *   is reported, as another node owns the attempt. A drain whose grace is over aborts it too, and
 *   hands it back.
 * - reporting: its outcome is sent until a scheduler answers, small tasks in batches. It is still
 *   renewed, so that no other node starts on it.
 */
type Held = {
  readonly task: Task
  readonly abort: AbortController
  framesDone: number
  previews: number
  /** Outputs that a player can use, and segments that one waits for. */
  readonly written: string[]
  wanted: readonly number[]
  readonly log: FollowedLog
  state: 'running' | 'reporting'
}

export type RunTask = (
  task: Task,
  options: {
    signal: AbortSignal
    progress: (frames: number) => void
    previewed: () => void
    written: (name: string) => void
    wanted: () => readonly number[]
    follow: (lines: RecentLines) => { readonly isFollowed: boolean }
  },
) => Promise<Outcome>

export type AgentOptions = {
  readonly log: Log
  readonly client: SchedulerClient
  readonly node: { readonly id: string; readonly name: string; readonly version: string }
  readonly offer: Offer
  readonly run: RunTask
  /**
   * Reason why the node can take no work now, for people; '' when it can. Checked before every
   * lease.
   */
  readonly pauseReason: () => Promise<string>
  /** Use of the machine, told with each call. */
  readonly usage?: () => Promise<NodeUsage>
  /** Called once each time the node has had no task for `idleAfterMs`. */
  readonly onIdle?: () => void
  /** Absent = 15 s. */
  readonly idleAfterMs?: number
  /** Time for running tasks to end when the node stops; the rest is handed back. */
  readonly drainGraceMs: number
  /**
   * Called with the reason why the node cannot work for the farm, and with undefined when it can.
   */
  readonly onHealthChange: (trouble: string | undefined) => void
}

const leaseWaitMs = 15_000
const defaultIdleAfterMs = 15_000
/** Interval at which a paused node checks whether it can take work again. */
const pauseMs = 1_000
/** Shortest interval of renewals with news: finished segments, or lines that somebody follows. */
const newsMs = 1_000
/** Bytes of followed logs in a renewal. */
const logBytes = 256_000
const retryWaitsMs = [200, 500, 1_000, 2_000, 5_000]

/** Tasks of at most this many slots count as small; a node runs many of them at once. */
const smallSlots = 0.25
/**
 * Longest wait of a finished small task for others: the scheduler ends a batch in one transaction.
 */
const coalesceMs = 150

export class Agent {
  readonly #options: AgentOptions
  readonly #held = new Map<string, Held>()
  readonly #stopping = new AbortController()
  #renewMs = 5_000
  #loops: Promise<unknown> = Promise.resolve()
  #slotFreed = () => {}
  #paused = ''
  /** Outputs have been written since the last renewal. */
  #hasNews = false
  #idle: NodeJS.Timeout | undefined
  #renewed: Promise<void> = Promise.resolve()
  readonly #reportTimer = new CoalescingTimer(coalesceMs)

  constructor(options: AgentOptions) {
    this.#options = options
  }

  /**
   * Resolves with true when a scheduler knows the node, whose work goes on until `stop`; with false
   * if it was stopped before.
   */
  async start(): Promise<boolean> {
    const isKnown = await this.#register()
    if (isKnown) this.#loops = Promise.all([this.#leaseLoop(), this.#renewLoop()])
    return isKnown
  }

  /** Takes no more leases, lets tasks end within the grace, and hands back the rest. */
  async stop(): Promise<void> {
    const { client, node, log, drainGraceMs } = this.#options
    this.#stopping.abort()
    this.#options.onHealthChange('it is being stopped')
    this.#slotFreed()
    this.#reportTimer.end()
    const drain = (handedBack: Progress[]) =>
      client.drain({ nodeId: node.id, handedBack }).catch((error: unknown) => {
        log.warn({ err: error }, 'draining could not be reported to the scheduler')
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

  /** Retries until a scheduler answers or the node stops. */
  async #register(): Promise<boolean> {
    const { client, node, offer, log } = this.#options
    const request = { nodeId: node.id, name: node.name, version: node.version, offer }
    for (let failures = 0; !this.#stopping.signal.aborted; failures += 1) {
      try {
        const { renewMs } = await client.register(request)
        this.#renewMs = renewMs
        if (this.#stopping.signal.aborted) return false
        this.#options.onHealthChange(undefined)
        return true
      } catch (error) {
        if (isFinal(error)) throw error
        if (failures === 0) {
          const why = error instanceof Error ? error.message : String(error)
          log.warn({ why }, 'no scheduler answers; retrying')
        }
        this.#options.onHealthChange('no scheduler answers')
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
        const usage = await this.#usage()
        const request = { nodeId: node.id, slots, waitMs: leaseWaitMs, usage }
        const { tasks } = await client.lease(request, signal)
        failures = 0
        this.#options.onHealthChange(undefined)
        for (const task of tasks) this.#take(task)
      } catch (error) {
        if (signal.aborted) return
        if (await this.#isForgotten(error)) continue
        log.warn({ err: error }, 'leasing tasks failed')
        this.#options.onHealthChange('no scheduler answers')
        await pauseFor(failures, this.#stopping.signal)
        failures += 1
      }
    }
  }

  /** Undefined where it cannot be read: work does not depend on it. */
  async #usage(): Promise<NodeUsage | undefined> {
    return await this.#options.usage?.().catch(() => undefined)
  }

  #slotsHeld(): number {
    // An older scheduler does not send the number of slots: count one.
    return [...this.#held.values()].reduce((sum, { task }) => sum + (task.slots || 1), 0)
  }

  /**
   * Checks for a pause and tells the scheduler at once when it changes: it counts on a node that
   * may take work.
   */
  async #isPaused(): Promise<boolean> {
    const { log, pauseReason } = this.#options
    const pause = await pauseReason()
    if (pause !== this.#paused) {
      log.warn({ pause }, pause === '' ? 'takes work again' : 'takes no work for the moment')
      await this.#renew(pause)
    }
    return pause !== ''
  }

  /** Registers again when the scheduler does not know the node or thinks that it drains. */
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
    const held: Held = {
      ...{ task, abort, framesDone: 0, previews: 0, state: 'running' },
      ...{ written: [], wanted: [], log: new FollowedLog() },
    }
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
      written: (name) => {
        held.written.push(name)
        this.#hasNews = true
      },
      wanted: () => held.wanted,
      follow: (lines) => {
        held.log.begin(lines)
        return held.log
      },
    })
    if (held.abort.signal.aborted) return
    held.state = 'reporting'
    if (isSmall(held)) await this.#waitForPeers()
    await this.#report(held, outcome)
  }

  /**
   * Waits for other small tasks to finish, so that one batch reports them. The last running one
   * does not wait.
   */
  async #waitForPeers(): Promise<void> {
    const others = [...this.#held.values()].some(
      (held) => held.state === 'running' && isSmall(held),
    )
    if (others && !this.#stopping.signal.aborted) await this.#reportTimer.wait()
    else this.#reportTimer.end()
  }

  async #report({ task, abort }: Held, outcome: Outcome): Promise<void> {
    const { client, node, log } = this.#options
    const attempt = { nodeId: node.id, taskId: task.id, attempt: task.attempt }
    await report(
      () => {
        if (outcome.done) return client.complete({ ...attempt, result: outcome.result })
        const { code, message, field, logTail, retry, refused = false } = outcome
        const { triesMax = 0, afterMs = 0 } = retry ?? {}
        const failure = { code, message, field, logTail, triesMax, retryAfterMs: afterMs, refused }
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
      const hasNews = this.#hasNews || [...this.#held.values()].some(({ log }) => log.hasNews)
      const interval = hasNews ? Math.min(newsMs, this.#renewMs) : this.#renewMs
      if (isQuiet || Date.now() - renewedAt < interval) continue
      renewedAt = Date.now()
      this.#hasNews = false
      try {
        await this.#renew()
      } catch (error) {
        log.warn({ err: error }, 'renewing the leases failed')
        if (!this.#stopping.signal.aborted) await this.#isForgotten(error)
      }
    }
  }

  /**
   * Sends renewals one after the other: else an old renewal could arrive last and leave the
   * scheduler with a pause that is over. `pause`: the new value.
   */
  #renew(pause?: string): Promise<void> {
    const { client, node } = this.#options
    const renewed = this.#renewed.then(async () => {
      const usage = await this.#usage()
      const tasks = this.#progress()
      const renewal = { nodeId: node.id, tasks, pause: pause ?? this.#paused, usage }
      const { stop, wanted, followed } = await client.renew(renewal)
      this.#paused = pause ?? this.#paused
      for (const each of stop) this.#stopTask(each)
      this.#want(wanted)
      this.#follow(followed)
    })
    this.#renewed = renewed.catch(() => undefined)
    return renewed
  }

  /** Aborts a running task; a task that is being reported gets its own answer. */
  #stopTask(stop: { taskId: string; attempt: number; reason: string }): void {
    const held = this.#held.get(keyOf(stop))
    if (held?.state !== 'running') return
    this.#options.log.info(stop, 'the scheduler stops a task')
    held.abort.abort(new Error(`the attempt is ${stop.reason}`))
  }

  /** Players that are not named any more have gone, or have what they waited for. */
  #want(wanted: readonly { taskId: string; attempt: number; segments: readonly number[] }[]): void {
    const segments = new Map(wanted.map((each) => [keyOf(each), each.segments]))
    for (const [key, held] of this.#held) held.wanted = segments.get(key) ?? []
  }

  /** Logs that are not named any more are not followed any more. */
  #follow(followed: readonly { taskId: string; attempt: number; lines: number }[]): void {
    const lines = new Map(followed.map((each) => [keyOf(each), each.lines]))
    for (const [key, held] of this.#held) held.log.follow(lines.get(key))
  }

  #progress(): Progress[] {
    let left = logBytes
    return [...this.#held.values()].map(({ task, framesDone, previews, written, log }) => {
      const news = log.news(left)
      for (const line of news?.lines ?? []) left -= Buffer.byteLength(line)
      return {
        ...{ taskId: task.id, attempt: task.attempt, framesDone, previews },
        written: [...written],
        ...(news && { log: news }),
      }
    })
  }
}

/** An older scheduler sends no slots; such a task counts as a whole slot. */
function isSmall({ task }: Held): boolean {
  return task.slots > 0 && task.slots <= smallSlots
}

/** Waits before the next try; returns early when the signal aborts. */
async function pauseFor(failures: number, signal: AbortSignal): Promise<void> {
  const ms = retryWaitsMs[Math.min(failures, retryWaitsMs.length - 1)] ?? 0
  await sleep(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

function keyOf({ taskId, attempt }: { taskId: string; attempt: number }): string {
  return `${taskId} ${attempt}`
}
