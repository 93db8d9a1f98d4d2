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
  /** Start tag (store/db/queue/enqueue-tasks.ts). */
  readonly start: number
  readonly cost: number
  /** Digests of the media that the task reads. */
  readonly media: readonly string[]
  /** Nodes that failed the task, while another node could still take it. */
  readonly barred: readonly string[]
  /** Queued a moment ago: a shard may still wait for an idle node that has yet to ask. */
  readonly isFresh: boolean
}

/** Tasks of one shape have the same needs and the same eligible nodes. */
export type TaskShape = {
  readonly id: number
  readonly needs: Sizes
  readonly nodeIds: readonly string[]
  /** Lanes of its node that a task takes while it runs. */
  readonly lanes: number
  /** Its tasks keep lanes busy for seconds, so they are spread over nodes. */
  readonly isShard: boolean
}

/** Segments that a node paints and encodes at once, and those of them that nothing uses. */
export type NodeLanes = { readonly count: number; readonly free: number }

/** A node that asks for up to `left.slots` tasks; null: that resource is unlimited. */
export type AskingNode = {
  readonly id: string
  readonly pool: string
  readonly left: { readonly [Size in keyof Sizes]: number | null }
  /** Null: the node did not tell. */
  readonly lanes: NodeLanes | null
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
export type QueueSnapshot = {
  readonly nodes: readonly AskingNode[]
  /** Nodes with a free lane and slot that do not ask in this round, but may at any moment. */
  readonly idleNodes: readonly AskingNode[]
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

/** `heldBackFrom`: asking nodes that could take what is left for idle ones. */
export type Assigned = {
  readonly given: readonly Assignment[]
  readonly heldBackFrom: readonly string[]
}

/**
 * Assigns tasks to nodes in turns. Each turn goes to the node with the largest free share of its
 * lanes; ties go to the first that asked. A turn gives the node the smallest start tags that it can
 * do, and ends with its first shard. So shards are spread over nodes, and other tasks are given as
 * if each node were alone.
 *
 * Accounts below their guaranteed slots come first. No account exceeds its burst and no job its
 * slots. A task whose media or job the node already has may jump the queue by a small bound
 * (core/queue/shares.ts).
 *
 * Idle nodes take turns too, but for fresh shards alone. What falls to them stays in the queue until
 * they ask.
 */
export function assignTasks(snapshot: QueueSnapshot): Assigned {
  const sharing = new Sharing(snapshot)
  const places = [
    ...snapshot.nodes.map((node) => new Place(node, { asks: true })),
    ...snapshot.idleNodes.map((node) => new Place(node, { asks: false })),
  ]
  const given: Assignment[] = []
  const heldBack: WaitingTask[] = []
  for (let next = nextPlace(places); next !== undefined; next = nextPlace(places)) {
    const tasks = sharing.serve(next)
    if (next.asks) given.push(...tasks.map(({ id }) => ({ nodeId: next.node.id, taskId: id })))
    else heldBack.push(...tasks)
  }
  const heldBackFrom = places.filter(
    (place) => place.asks && heldBack.some((task) => sharing.mayHave(place, task)),
  )
  return { given, heldBackFrom: heldBackFrom.map(({ node }) => node.id) }
}

/** The state of a node between its turns. */
class Place {
  readonly node: AskingNode
  /** False: an idle node. */
  readonly asks: boolean
  readonly jobIds: ReadonlySet<string>
  readonly media: ReadonlySet<string>
  left: Sizes
  freeLanes: number
  isServed = false

  constructor(node: AskingNode, { asks }: { asks: boolean }) {
    this.node = node
    this.asks = asks
    this.jobIds = new Set(node.jobIds)
    this.media = new Set(node.media)
    this.left = leftOf(node)
    this.freeLanes = node.lanes?.free ?? 0
  }

  /** A node that does not tell its lanes counts as idle, and has one turn. */
  get freeShare(): number {
    return this.node.lanes === null ? 1 : this.freeLanes / this.node.lanes.count
  }
}

function nextPlace(places: readonly Place[]): Place | undefined {
  let next: Place | undefined
  for (const place of places) {
    if (place.isServed) continue
    if (next === undefined || place.freeShare > next.freeShare) next = place
  }
  return next
}

type Choice = { readonly task: WaitingTask; readonly beyond: boolean; readonly rank: number }

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

  constructor({ shapes, accounts, jobs, pools, farmLeft, tasks }: QueueSnapshot) {
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

  /** Gives a node its turn, and counts what it was given. */
  serve(place: Place): readonly WaitingTask[] {
    const { pool } = place.node
    const poolLeft = this.#poolsLeft.get(pool) ?? Number.POSITIVE_INFINITY
    const most = Math.min(poolLeft, this.#farmLeft)
    // Limits of pool and farm count running tasks; small tasks share a slot.
    const given = this.#fill(place, most)
    if (given.length === 0) return given
    const ids = new Set(given)
    this.#tasks = this.#tasks.filter((task) => !ids.has(task))
    for (const { accountId, jobId } of given) {
      this.#running.set(accountId, this.#runningOf(accountId) + 1)
      this.#running.set(jobId, this.#runningOf(jobId) + 1)
    }
    this.#farmLeft -= given.length
    if (Number.isFinite(poolLeft)) this.#poolsLeft.set(pool, poolLeft - given.length)
    return given
  }

  /** Fills what the node has left until a task does not fit; where its lanes are known, until the first shard. */
  #fill(place: Place, most: number): readonly WaitingTask[] {
    const given: WaitingTask[] = []
    let left = { ...place.left, slots: Math.min(place.left.slots, most) }
    place.isServed = true
    for (const { task } of this.#choices(place, left)) {
      const shape = this.#shapeOf(task)
      left = minus(left, shape.needs)
      if (Math.min(left.slots, left.memory, left.gpuMemory, left.sessions) < 0) break
      if (given.length >= most) break
      given.push(task)
      place.left = minus(place.left, shape.needs)
      place.freeLanes -= shape.lanes
      if (shape.isShard && place.node.lanes !== null) {
        place.isServed = false
        break
      }
    }
    return given
  }

  /** Candidate tasks for the node, best first: at least as many as it asks for, where there are. */
  #choices(place: Place, left: Sizes): readonly Choice[] {
    const choices: Choice[] = []
    const more = new Map<string, number>()
    const { jobIds, media } = place
    const isNear = (task: WaitingTask) =>
      jobIds.has(task.jobId) || task.media.some((digest) => media.has(digest))
    const bound = jobIds.size + media.size > 0 ? localityBound : 0
    let chosenSlots = 0
    let last: WaitingTask | undefined
    for (const task of this.#tasks) {
      // Later tasks cannot come before those that fill the node.
      if (last !== undefined && !this.#someGuarantee && task.start - bound > last.start) break
      if (!this.mayHave(place, task, left)) continue
      const account = this.#accounts.get(task.accountId)
      const rank = this.#runningOf(task.accountId) + (more.get(task.accountId) ?? 0) + 1
      const jobRank = this.#runningOf(task.jobId) + (more.get(task.jobId) ?? 0) + 1
      if (account === undefined || rank > account.burst || jobRank > account.jobSlots) continue
      more.set(task.accountId, (more.get(task.accountId) ?? 0) + 1)
      more.set(task.jobId, (more.get(task.jobId) ?? 0) + 1)
      const nearer = isNear(task) ? Math.min(task.cost, localityBound) : 0
      choices.push({ task, beyond: rank > account.guaranteed, rank: task.start - nearer })
      chosenSlots += this.#shapeOf(task).needs.slots
      if (chosenSlots >= left.slots) last ??= task
    }
    // Sorting is stable, so equal tasks keep the order of their tags.
    return choices.sort((a, b) => Number(a.beyond) - Number(b.beyond) || a.rank - b.rank)
  }

  mayHave({ node, asks, freeLanes, left: own }: Place, task: WaitingTask, left = own): boolean {
    const shape = this.#shapes.get(task.shapeId)
    if (shape === undefined || !shape.nodes.has(node.id)) return false
    if (!asks && !(task.isFresh && shape.isShard && shape.lanes <= freeLanes)) return false
    const after = minus(left, shape.needs)
    return (
      Math.min(after.slots, after.memory, after.gpuMemory, after.sessions) >= 0 &&
      !task.barred.includes(node.id)
    )
  }

  #shapeOf(task: WaitingTask): TaskShape {
    const shape = this.#shapes.get(task.shapeId)
    if (shape === undefined) throw new Error(`A task's shape must be known. Got ${task.shapeId}`)
    return shape
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
