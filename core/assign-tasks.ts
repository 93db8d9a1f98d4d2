import { localityBound } from './shares.ts'

/** Resources that a task needs, or that a node has left. */
export type Sizes = {
  readonly slots: number
  /** MB. */
  readonly memory: number
  /** MB. */
  readonly gpuMemory: number
  /** Encoder sessions. */
  readonly sessions: number
}

export type WaitingTask = {
  readonly id: string
  readonly accountId: string
  readonly jobId: string
  readonly shapeId: number
  /** Start tag (store/db/statements/enqueue-tasks.ts). */
  readonly start: number
  readonly cost: number
  /** Digests of the media that the task reads. */
  readonly media: readonly string[]
  /** Nodes that failed the task, while another node could still take it. */
  readonly barred: readonly string[]
}

/** Tasks of one shape have the same needs and the same eligible nodes. */
export type TaskShape = {
  readonly id: number
  readonly needs: Sizes
  readonly nodeIds: readonly string[]
}

/** A node that asks for up to `left.slots` tasks; null: that resource is unlimited. */
export type AskingNode = {
  readonly id: string
  readonly pool: string
  readonly left: { readonly [Size in keyof Sizes]: number | null }
  /** Jobs that the node worked on lately, and digests of the media in its caches. */
  readonly jobIds: readonly string[]
  readonly media: readonly string[]
}

/** Limits of an account and of each of its jobs, and how many of its tasks run. */
export type AccountLimits = {
  readonly id: string
  readonly running: number
  readonly guaranteed: number
  readonly burst: number
  readonly jobSlots: number
}

/** Snapshot of the queue to assign from. Tasks are ordered by start tag. */
export type Standing = {
  readonly nodes: readonly AskingNode[]
  readonly tasks: readonly WaitingTask[]
  readonly shapes: readonly TaskShape[]
  readonly accounts: readonly AccountLimits[]
  /** Running tasks by job; a job that is absent has none. */
  readonly jobs: readonly { readonly id: string; readonly running: number }[]
  /** Slots left in pools that have a limit, and in the farm (null: it has none). */
  readonly pools: readonly { readonly name: string; readonly left: number }[]
  readonly farmLeft: number | null
}

export type Assignment = { readonly nodeId: string; readonly taskId: string }

/**
 * Assigns tasks to nodes, one node after the other in the order they asked. A node gets the
 * smallest start tags that it can do, accounts below their guaranteed slots first. No account
 * exceeds its burst and no job its slots. A task whose media or job the node already has may jump
 * the queue by a small bound (core/shares.ts).
 */
export function assignTasks(standing: Standing): readonly Assignment[] {
  const sharing = new Sharing(standing)
  return standing.nodes.flatMap((node) =>
    sharing.serve(node).map(({ id }) => ({ nodeId: node.id, taskId: id })),
  )
}

type Choice = { readonly task: WaitingTask; readonly beyond: boolean; readonly place: number }

/** Tracks the capacity that is left while nodes are served. */
class Sharing {
  readonly #shapes: ReadonlyMap<number, TaskShape & { readonly nodes: ReadonlySet<string> }>
  readonly #accounts: ReadonlyMap<string, AccountLimits>
  readonly #someGuarantee: boolean
  /** Running tasks by account and by job, with those assigned here. */
  readonly #running: Map<string, number>
  readonly #poolsLeft: Map<string, number>
  #farmLeft: number
  #tasks: readonly WaitingTask[]

  constructor({ shapes, accounts, jobs, pools, farmLeft, tasks }: Standing) {
    this.#shapes = new Map(
      shapes.map((each) => [each.id, { ...each, nodes: new Set(each.nodeIds) }]),
    )
    this.#accounts = new Map(accounts.map((each) => [each.id, each]))
    this.#someGuarantee = accounts.some(({ guaranteed, running }) => guaranteed > running)
    this.#running = new Map([...accounts, ...jobs].map(({ id, running }) => [id, running]))
    this.#poolsLeft = new Map(pools.map(({ name, left }) => [name, left]))
    this.#farmLeft = farmLeft ?? Number.POSITIVE_INFINITY
    this.#tasks = tasks
  }

  serve(node: AskingNode): readonly WaitingTask[] {
    const poolLeft = this.#poolsLeft.get(node.pool) ?? Number.POSITIVE_INFINITY
    const most = Math.min(poolLeft, this.#farmLeft)
    const slots = Math.min(unlimited(node.left.slots), most)
    // Limits of pool and farm count running tasks; small tasks share a slot.
    const given = this.#fill({ ...node, left: { ...node.left, slots } }).slice(0, most)
    if (given.length === 0) return given
    const ids = new Set(given)
    this.#tasks = this.#tasks.filter((task) => !ids.has(task))
    for (const { accountId, jobId } of given) {
      this.#running.set(accountId, this.#runningOf(accountId) + 1)
      this.#running.set(jobId, this.#runningOf(jobId) + 1)
    }
    this.#farmLeft -= given.length
    if (Number.isFinite(poolLeft)) this.#poolsLeft.set(node.pool, poolLeft - given.length)
    return given
  }

  /** Fills what the node has left, in order, until a task does not fit. */
  #fill(node: AskingNode): readonly WaitingTask[] {
    const given: WaitingTask[] = []
    let left = leftOf(node)
    for (const { task } of this.#choices(node)) {
      left = minus(left, this.#needsOf(task))
      if (Math.min(left.slots, left.memory, left.gpuMemory, left.sessions) < 0) break
      given.push(task)
    }
    return given
  }

  /** Candidate tasks for the node, best first: at least as many as it asks for, where there are. */
  #choices(node: AskingNode): readonly Choice[] {
    const choices: Choice[] = []
    const left = leftOf(node)
    const more = new Map<string, number>()
    const [jobIds, media] = [new Set(node.jobIds), new Set(node.media)]
    const isNear = (task: WaitingTask) =>
      jobIds.has(task.jobId) || task.media.some((digest) => media.has(digest))
    const bound = jobIds.size + media.size > 0 ? localityBound : 0
    let chosenSlots = 0
    let last: WaitingTask | undefined
    for (const task of this.#tasks) {
      // Later tasks cannot come before those that fill the node.
      if (last !== undefined && !this.#someGuarantee && task.start - bound > last.start) break
      if (!this.#mayHave(node, { task, left })) continue
      const account = this.#accounts.get(task.accountId)
      const rank = this.#runningOf(task.accountId) + (more.get(task.accountId) ?? 0) + 1
      const jobRank = this.#runningOf(task.jobId) + (more.get(task.jobId) ?? 0) + 1
      if (account === undefined || rank > account.burst || jobRank > account.jobSlots) continue
      more.set(task.accountId, (more.get(task.accountId) ?? 0) + 1)
      more.set(task.jobId, (more.get(task.jobId) ?? 0) + 1)
      const nearer = isNear(task) ? Math.min(task.cost, localityBound) : 0
      choices.push({ task, beyond: rank > account.guaranteed, place: task.start - nearer })
      chosenSlots += this.#needsOf(task).slots
      if (chosenSlots >= left.slots) last ??= task
    }
    // Sorting is stable, so equal tasks keep the order of their tags.
    return choices.sort((a, b) => Number(a.beyond) - Number(b.beyond) || a.place - b.place)
  }

  #mayHave(node: AskingNode, { task, left }: { task: WaitingTask; left: Sizes }): boolean {
    const shape = this.#shapes.get(task.shapeId)
    if (shape === undefined || !shape.nodes.has(node.id)) return false
    const after = minus(left, shape.needs)
    return (
      Math.min(after.slots, after.memory, after.gpuMemory, after.sessions) >= 0 &&
      !task.barred.includes(node.id)
    )
  }

  #needsOf(task: WaitingTask): Sizes {
    const shape = this.#shapes.get(task.shapeId)
    if (shape === undefined) throw new Error(`A task's shape must be known. Got ${task.shapeId}`)
    return shape.needs
  }

  #runningOf(id: string): number {
    return this.#running.get(id) ?? 0
  }
}

function leftOf({ left }: AskingNode): Sizes {
  return {
    slots: unlimited(left.slots),
    memory: unlimited(left.memory),
    gpuMemory: unlimited(left.gpuMemory),
    sessions: unlimited(left.sessions),
  }
}

function minus(left: Sizes, needs: Sizes): Sizes {
  return {
    slots: left.slots - needs.slots,
    memory: left.memory - needs.memory,
    // Running tasks may exceed it; a task that needs none fits all the same.
    gpuMemory:
      needs.gpuMemory === 0 ? Math.max(left.gpuMemory, 0) : left.gpuMemory - needs.gpuMemory,
    sessions: left.sessions - needs.sessions,
  }
}

function unlimited(size: number | null): number {
  return size ?? Number.POSITIVE_INFINITY
}
