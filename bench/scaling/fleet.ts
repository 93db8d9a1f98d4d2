import { kinds, type Pool } from './load.ts'
import type { OpenJob, Queue } from './queue.ts'
import type { Random } from './random.ts'

export const nodeSlots = 4
/** Seconds from the order of a machine until its node takes work. */
const coldStartSeconds = 180
/** Seconds of notice before a spot machine is gone, of which the node uses its drain. */
const drainSeconds = 20
/** Share of the spot machines that are taken away in an hour. */
const spotLossHourly = 0.08

/** Price of a machine for an hour, where a CPU machine on demand costs 1. */
const prices: Readonly<Record<Pool, number>> = { cpu: 1, gpu: 6 }
const spotShare = 0.35

type Running = { readonly job: OpenJob; readonly endsAt: number; readonly slots: number }
type Node = {
  readonly isSpot: boolean
  readonly readyAt: number
  /** Set: takes no more work, and is gone at this time at the latest. */
  leavesAt: number
  tasks: Running[]
  free: number
}

export type FleetOptions = {
  readonly pool: Pool
  readonly queue: Queue
  readonly random: Random
  /** Machines beyond this number are spot machines. */
  readonly onDemand: number
  readonly onStart: (job: OpenJob, at: number) => void
  readonly onEnd: (job: OpenJob, at: number) => void
}

/** Machines of one pool, second by second. */
export class Fleet {
  readonly #options: FleetOptions
  #nodes: Node[] = []
  cost = 0
  starts = 0
  /** Spot machines that were taken away. */
  taken = 0
  /** Attempts that ended unfinished. */
  lost = 0
  busySlotSeconds = 0
  slotSeconds = 0

  constructor(options: FleetOptions) {
    this.#options = options
  }

  /** Machines that are there or starting, and stay. */
  get size(): number {
    return this.#staying().length
  }

  get runningSlots(): number {
    return this.#nodes.reduce((sum, { free }) => sum + nodeSlots - free, 0)
  }

  /** Starts machines with nodes that are ready at once. */
  begin(size: number): void {
    this.scaleTo(size, Number.NEGATIVE_INFINITY)
  }

  /** Starts machines, or lets some leave: starting ones first, then any. */
  scaleTo(size: number, now: number): void {
    const staying = this.#staying()
    for (let n = staying.length; n < size; n += 1) {
      const isSpot = n >= this.#options.onDemand
      const readyAt = now + coldStartSeconds
      const node = {
        isSpot,
        readyAt,
        leavesAt: Number.POSITIVE_INFINITY,
        tasks: [],
        free: nodeSlots,
      }
      this.#nodes.push(node)
      this.starts += 1
    }
    const leaving = staying
      .sort((a, b) => Number(b.isSpot) - Number(a.isSpot) || b.readyAt - a.readyAt)
      .slice(0, Math.max(0, staying.length - size))
    for (const node of leaving) node.leavesAt = now + drainSeconds
  }

  /** One second: tasks end, machines go, tasks begin. */
  step(now: number): void {
    const { pool, random, queue } = this.#options
    for (const node of this.#nodes) {
      this.#endTasks(node, now)
      const isLost = node.isSpot && random.next() < spotLossHourly / 3_600
      if (isLost && !Number.isFinite(node.leavesAt)) this.taken += 1
      if (isLost) node.leavesAt = Math.min(node.leavesAt, now + drainSeconds)
      const isOver = node.leavesAt <= now || (Number.isFinite(node.leavesAt) && !node.tasks.length)
      if (isOver) this.#handBack(node)
      if (isOver) node.leavesAt = now
    }
    this.#nodes = this.#nodes.filter(({ leavesAt }) => leavesAt > now)
    for (const node of this.#nodes) {
      if (node.readyAt > now || Number.isFinite(node.leavesAt)) continue
      while (node.free > 0) {
        const job = queue.take(pool, node.free)
        if (job === undefined) break
        const { slots, seconds } = kinds[job.kind]
        node.tasks.push({ job, slots, endsAt: now + seconds })
        node.free -= slots
        if (job.startedAt === undefined) this.#options.onStart(job, now)
        job.startedAt ??= now
      }
    }
    for (const { isSpot, free, readyAt } of this.#nodes) {
      this.cost += (prices[pool] * (isSpot ? spotShare : 1)) / 3_600
      this.slotSeconds += readyAt <= now ? nodeSlots : 0
      this.busySlotSeconds += nodeSlots - free
    }
  }

  #staying(): Node[] {
    return this.#nodes.filter(({ leavesAt }) => leavesAt === Number.POSITIVE_INFINITY)
  }

  #endTasks(node: Node, now: number): void {
    for (const { job, slots, endsAt } of node.tasks) {
      if (endsAt > now) continue
      node.free += slots
      this.#options.queue.release(job, { isDone: true })
      if (job.open === 0) this.#options.onEnd(job, endsAt)
    }
    node.tasks = node.tasks.filter(({ endsAt }) => endsAt > now)
  }

  #handBack(node: Node): void {
    for (const { job } of node.tasks) this.#options.queue.release(job, { isDone: false })
    this.lost += node.tasks.length
    node.tasks = []
  }
}
