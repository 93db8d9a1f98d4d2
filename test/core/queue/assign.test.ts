import test from 'ava'
import fc from 'fast-check'
import {
  type AskingNode,
  assignTasks,
  type QueueSnapshot,
  type WaitingTask,
} from '../../../core/queue/assign.ts'

const shard = { lanes: 1, isShard: true }
const none = { memory: 0, gpuMemory: 0, sessions: 0 }

function node(id: string, given: Partial<AskingNode> = {}, slots = 1): AskingNode {
  const left = { slots, memory: null, gpuMemory: 0, sessions: null }
  return { id, pool: '', left, lanes: null, jobIds: [], media: [], ...given }
}

/**
 * Tasks named `a1`, `a2`, `b1`: of account a and b, with start tags 10 apart in the order given.
 */
function tasks(names: string, given: Partial<WaitingTask> = {}): WaitingTask[] {
  return names.split(' ').map((id, index) => ({
    ...{ id, accountId: id[0] ?? '', jobId: `job ${id[0]}`, shapeId: 1, start: index * 10 },
    ...{ cost: 10, media: [], barred: [], isFresh: false, ...given },
  }))
}

function share(given: Partial<QueueSnapshot>): string {
  const nodes = given.nodes ?? []
  const nodeIds = nodes.map(({ id }) => id)
  const limits = { running: 0, guaranteed: 0, burst: 100, jobSlots: 100 }
  const assigned = assignTasks({
    shapes: [{ id: 1, needs: { slots: 1, ...none }, nodeIds, ...shard }],
    accounts: ['a', 'b', 'c'].map((id) => ({ id, ...limits })),
    ...{ nodes, idleNodes: [], tasks: [], jobs: [], pools: [], farmLeft: null, ...given },
  })
  return assigned.given.map(({ nodeId, taskId }) => `${nodeId}:${taskId}`).join(' ')
}

const limits = { running: 0, guaranteed: 0, burst: 100, jobSlots: 100 }

test('nodes are served in turn, each with the smallest tags still left', (t) => {
  const nodes = [node('m', {}, 2), node('n')]
  t.is(share({ nodes, tasks: tasks('a1 b1 a2 b2') }), 'm:a1 m:b1 n:a2')
})

test('limits of pools and the farm hold across all served together', (t) => {
  const nodes = [node('m', { pool: 'p' }), node('n', { pool: 'p' }), node('o'), node('q')]
  const all = { nodes, tasks: tasks('a1 a2 a3 a4') }
  t.is(share({ ...all, pools: [{ name: 'p', left: 1 }] }), 'm:a1 o:a2 q:a3')
  t.is(share({ ...all, farmLeft: 2 }), 'm:a1 n:a2')
})

test('no account passes its burst, no job its slots, at any node', (t) => {
  const nodes = [node('m'), node('n'), node('o')]
  const b = { id: 'b', ...limits }
  const queue = { nodes, tasks: tasks('a1 a2 a3 b1') }
  t.is(
    share({ ...queue, accounts: [{ id: 'a', ...limits, running: 3, burst: 4 }, b] }),
    'm:a1 n:b1',
  )
  const jobs = [{ id: 'job a', running: 1 }]
  t.is(share({ ...queue, jobs, accounts: [{ id: 'a', ...limits, jobSlots: 2 }, b] }), 'm:a1 n:b1')
})

test('guaranteed slots come first, and are used up by the nodes before', (t) => {
  const nodes = [node('m'), node('n')]
  const accounts = [
    { id: 'a', ...limits },
    { id: 'b', ...limits, guaranteed: 1 },
  ]
  t.is(share({ nodes, accounts, tasks: tasks('a1 a2 b1 b2') }), 'm:b1 n:a1')
})

test('nodes get only what they can do, have room for, never failed', (t) => {
  const nodes = [node('m', { left: { slots: 9, memory: 100, gpuMemory: 0, sessions: null } })]
  const big = { id: 2, needs: { slots: 1, ...none, memory: 60 }, nodeIds: ['m'], ...shard }
  const foreign = { id: 3, needs: { slots: 1, ...none }, nodeIds: ['another'], ...shard }
  const queue = [
    ...tasks('a1', { shapeId: 3 }),
    ...tasks('a2', { shapeId: 2, barred: ['m'] }),
    ...tasks('a3 b1 b2', { shapeId: 2, start: 5 }),
  ]
  t.is(share({ nodes, tasks: queue, shapes: [big, foreign] }), 'm:a3')
})

test('locality prefers tasks by their cost, up to the bound', (t) => {
  const near = [node('m', { jobIds: ['job b'] })]
  t.is(share({ nodes: near, tasks: tasks('a1 a2 b1', { cost: 25 }) }), 'm:b1')
  t.is(share({ nodes: near, tasks: tasks('a1 a2 b1', { cost: 15 }) }), 'm:a1')
  const far = tasks('a1 b1', { cost: 1_000 }).map((task, index) => ({
    ...task,
    start: index * 101,
  }))
  t.is(share({ nodes: near, tasks: far }), 'm:a1')
  const media = [...tasks('a1'), ...tasks('b1', { start: 5, media: ['digest'] })]
  t.is(share({ nodes: [node('m', { media: ['digest'] })], tasks: media }), 'm:b1')
})

/** A node of so many lanes, of which `busy` work. */
function laned(id: string, { lanes, busy = 0, slots = 2 * lanes }: Laned): AskingNode {
  return node(id, { lanes: { count: lanes, free: lanes - busy } }, slots)
}
type Laned = { lanes: number; busy?: number; slots?: number }

test('shards are spread by free lanes, whichever node asks first', (t) => {
  const [narrow, wide] = [laned('m', { lanes: 1, slots: 4 }), laned('n', { lanes: 2 })]
  t.is(share({ nodes: [narrow, wide], tasks: tasks('a1 a2 a3') }), 'm:a1 n:a2 n:a3')
  const [eight, other] = [laned('m', { lanes: 8 }), laned('n', { lanes: 8 })]
  t.is(share({ nodes: [eight, other], tasks: tasks('a1 a2 a3') }), 'm:a1 n:a2 m:a3')
  const busy = laned('m', { lanes: 2, busy: 2 })
  t.is(share({ nodes: [busy, wide], tasks: tasks('a1 a2 a3') }), 'n:a1 n:a2 m:a3')
})

test('a lone node gets all that its slots take, beyond its lanes', (t) => {
  const alone = [laned('m', { lanes: 1, slots: 4 })]
  t.is(share({ nodes: alone, tasks: tasks('a1 a2 a3') }), 'm:a1 m:a2 m:a3')
  const used = [laned('m', { lanes: 1, busy: 3, slots: 2 })]
  t.is(share({ nodes: used, tasks: tasks('a1 a2 a3') }), 'm:a1 m:a2')
})

test('a node silent on lanes takes what it asks for at once', (t) => {
  const nodes = [node('m', {}, 2), laned('n', { lanes: 2 })]
  t.is(share({ nodes, tasks: tasks('a1 a2 a3') }), 'm:a1 m:a2 n:a3')
})

test('each node gets the shards near it while they are spread', (t) => {
  const near = { ...laned('n', { lanes: 1 }), jobIds: ['job b'] }
  const nodes = [laned('m', { lanes: 1 }), near]
  const queue = tasks('a1 a2 b1', { cost: 25 })
  t.is(share({ nodes, tasks: queue }), 'm:a1 n:b1 m:a2')
})

const idleQueue = {
  nodes: [laned('m', { lanes: 1, slots: 4 })],
  idleNodes: [laned('idle', { lanes: 2 })],
  shapes: [{ id: 1, needs: { slots: 1, ...none }, nodeIds: ['m', 'idle'], ...shard }],
}

test('fresh shards are left for idle nodes, as many as their lanes', (t) => {
  t.is(share({ ...idleQueue, tasks: tasks('a1 a2 a3', { isFresh: true }) }), 'm:a1')
  t.is(share({ ...idleQueue, tasks: tasks('a1 a2 a3 a4 a5', { isFresh: true }) }), 'm:a1 m:a4 m:a5')
  t.is(share({ ...idleQueue, tasks: tasks('a1 a2 a3') }), 'm:a1 m:a2 m:a3', 'not fresh any more')
  const still = [{ ...idleQueue.shapes[0], lanes: 1, isShard: false }] as QueueSnapshot['shapes']
  const fresh = tasks('a1 a2 a3', { isFresh: true })
  t.is(share({ ...idleQueue, shapes: still, tasks: fresh }), 'm:a1 m:a2 m:a3', 'no shards')
  const barred = tasks('a1 a2 a3', { isFresh: true, barred: ['idle'] })
  t.is(share({ ...idleQueue, tasks: barred }), 'm:a1 m:a2 m:a3', 'not for the idle node')
})

test('a node hears if something it could take waits for idle ones', (t) => {
  const standing = {
    ...{ accounts: [{ id: 'a', ...limits }], jobs: [], pools: [], farmLeft: null, ...idleQueue },
    nodes: [...idleQueue.nodes, laned('other', { lanes: 1 })],
  }
  const heldBackFrom = (names: string) =>
    assignTasks({ ...standing, tasks: tasks(names, { isFresh: true }) }).heldBackFrom
  t.deepEqual(heldBackFrom('a1 a2'), ['m'])
  t.deepEqual(heldBackFrom('a1'), [])
})

/** Any farm of tasks of a slot each: shards (shape 1) and others (shape 2). */
const anyNode = fc.record({
  lanes: fc.integer({ min: 1, max: 4 }),
  busy: fc.integer({ min: 0, max: 5 }),
  slots: fc.integer({ min: 1, max: 6 }),
})
const anyStanding = fc
  .record({
    asking: fc.array(anyNode, { maxLength: 5 }),
    idle: fc.array(anyNode, { maxLength: 3 }),
    tasks: fc.array(
      fc.record({
        account: fc.constantFrom('a', 'b'),
        shapeId: fc.constantFrom(1, 2),
        isFresh: fc.boolean(),
      }),
      { maxLength: 20 },
    ),
    burst: fc.integer({ min: 0, max: 12 }),
    jobSlots: fc.integer({ min: 1, max: 12 }),
    guaranteed: fc.integer({ min: 0, max: 3 }),
    farmLeft: fc.option(fc.integer({ min: 0, max: 12 })),
  })
  .map(({ asking, idle, tasks, burst, jobSlots, guaranteed, farmLeft }): QueueSnapshot => {
    const nodes = asking.map((each, index) => laned(`n${index}`, each))
    const idleNodes = idle
      .filter(({ lanes, busy }) => busy < lanes)
      .map((each, index) => laned(`idle${index}`, each))
    const ids = (of: readonly AskingNode[]) => of.map(({ id }) => id)
    const needs = { slots: 1, ...none }
    return {
      ...{ nodes, idleNodes, jobs: [], pools: [], farmLeft },
      shapes: [
        { id: 1, needs, nodeIds: [...ids(nodes), ...ids(idleNodes)], ...shard },
        { id: 2, needs, nodeIds: ids(nodes), lanes: 0, isShard: false },
      ],
      accounts: ['a', 'b'].map((id) => ({ id, running: 0, guaranteed, burst, jobSlots })),
      tasks: tasks.map(({ account, ...each }, index) => ({
        ...{ id: `t${index}`, accountId: account, jobId: `job ${account}`, start: index * 10 },
        ...{ cost: 10, media: [], barred: [], ...each },
      })),
    }
  })

/** Capacity of nodes, accounts and the farm after `given`, and the tasks that stay in the queue. */
function after(standing: QueueSnapshot, given: readonly { nodeId: string; taskId: string }[]) {
  const byTask = new Map(given.map(({ taskId, nodeId }) => [taskId, nodeId]))
  const taken = standing.tasks.filter(({ id }) => byTask.has(id))
  const nodes = standing.nodes.map(({ id, left, lanes }) => {
    const own = taken.filter((task) => byTask.get(task.id) === id)
    const shards = own.filter(({ shapeId }) => shapeId === 1).length
    return {
      ...{ id, shards, slots: (left.slots ?? 0) - own.length },
      freeLanes: (lanes?.free ?? 0) - shards,
    }
  })
  const running = (account: string) => taken.filter(({ accountId }) => accountId === account).length
  const room = (account: string) => {
    const limit = standing.accounts.find(({ id }) => id === account)
    return Math.min(limit?.burst ?? 0, limit?.jobSlots ?? 0) - running(account)
  }
  const farmLeft = (standing.farmLeft ?? Number.POSITIVE_INFINITY) - given.length
  return { nodes, room, farmLeft, waiting: standing.tasks.filter(({ id }) => !byTask.has(id)) }
}

test('no limit is passed, no task given twice, whoever asks or idles', (t) => {
  fc.assert(
    fc.property(anyStanding, (standing) => {
      const { given } = assignTasks(standing)
      const { nodes, room, farmLeft } = after(standing, given)
      t.is(new Set(given.map(({ taskId }) => taskId)).size, given.length)
      t.true(given.every(({ nodeId }) => nodes.some(({ id }) => id === nodeId)))
      t.true(nodes.every(({ slots }) => slots >= 0))
      t.true(room('a') >= 0 && room('b') >= 0 && farmLeft >= 0)
    }),
  )
})

test('nothing waits that a node with a slot may take', (t) => {
  fc.assert(
    fc.property(anyStanding, (any) => {
      const standing = { ...any, idleNodes: [] }
      const { waiting, nodes, room, farmLeft } = after(standing, assignTasks(standing).given)
      const left = waiting.filter(({ accountId }) => room(accountId) > 0)
      t.true(left.length === 0 || farmLeft === 0 || nodes.every(({ slots }) => slots === 0))
    }),
  )
})

test('only fresh shards wait for idle nodes, at most one a lane', (t) => {
  fc.assert(
    fc.property(anyStanding, (any) => {
      const accounts = any.accounts.map((each) => ({ ...each, ...limits }))
      const standing = { ...any, accounts, farmLeft: null }
      const { waiting, nodes } = after(standing, assignTasks(standing).given)
      if (nodes.every(({ slots }) => slots === 0)) return
      const idleLanes = any.idleNodes.reduce((sum, { lanes }) => sum + (lanes?.free ?? 0), 0)
      t.true(waiting.every(({ shapeId, isFresh }) => shapeId === 1 && isFresh))
      t.true(waiting.length <= idleLanes)
    }),
    { numRuns: 500 },
  )
})

test('no node’s shards exceed its lanes while another asking has one free', (t) => {
  fc.assert(
    fc.property(anyStanding, (standing) => {
      const { given } = assignTasks(standing)
      const { nodes } = after(standing, given)
      const isOverfull = nodes.some(({ shards, freeLanes }) => shards > 0 && freeLanes < 0)
      t.false(isOverfull && nodes.some(({ slots, freeLanes }) => slots > 0 && freeLanes >= 1))
    }),
    { numRuns: 500 },
  )
})

test('spread or not, those who ask get the smallest start tags', (t) => {
  fc.assert(
    fc.property(anyStanding, (any) => {
      const accounts = any.accounts.map((each) => ({ ...each, ...limits }))
      const standing = { ...any, idleNodes: [], accounts, farmLeft: null }
      const { given } = assignTasks(standing)
      const ids = standing.tasks.slice(0, given.length).map(({ id }) => id)
      t.deepEqual(new Set(given.map(({ taskId }) => taskId)), new Set(ids))
    }),
  )
})

test('tasks other than shards are assigned as if nodes had no lanes', (t) => {
  fc.assert(
    fc.property(anyStanding, (any) => {
      const others = any.tasks.map((task) => ({ ...task, shapeId: 2 }))
      const idle = any.nodes.map((each) => ({ ...each, lanes: { count: 4, free: 4 } }))
      const untold = any.nodes.map((each) => ({ ...each, lanes: null }))
      t.deepEqual(
        assignTasks({ ...any, nodes: idle, tasks: others }),
        assignTasks({ ...any, nodes: untold, tasks: others }),
      )
    }),
  )
})
